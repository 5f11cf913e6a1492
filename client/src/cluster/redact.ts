const secrets: readonly RegExp[] = [
  // JSON web tokens, and what follows words that introduce a secret.
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /((?:bearer|basic)\s+)[\w+/=.~-]{8,}/gi,
  /((?:token|password|passwd|secret|apikey|api_key|access_key|client_secret|id_token|code)["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
  /(--?[\w-]*(?:token|passw(?:or)?d|secret|api-?key)\s+["']?)[^\s"',;&-][^\s"',;&]*/gi,
  // Credentials in addresses; a password may hold an @ of its own.
  /(\/\/)[^\s/]+(?=@)/g,
  // Private keys, and long runs that look like encoded data.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b[A-Za-z0-9+/_-]{48,}={0,2}/g,
];

/** Shorter ones would be found in words that have nothing to do with them. */
const shortestSecret = 4;

/** A foreign text without what may be a secret in it, and without those that are known. */
export function redacted(text: string, known: readonly string[] = []): string {
  let safe = text;
  // The longest first: one secret may hold another.
  for (const secret of known.toSorted((a, b) => b.length - a.length)) {
    if (secret.length >= shortestSecret) safe = safe.replaceAll(secret, '[redacted]');
  }
  for (const secret of secrets) {
    safe = safe.replace(secret, (_match, lead: unknown) =>
      typeof lead === 'string' ? `${lead}[redacted]` : '[redacted]',
    );
  }
  return safe;
}

const secretWord =
  /token|secret|passw|pwd|passphrase|api[_-]?key|access[_-]?key|private|credential/i;

/** Whether a variable is not to be shown: by its name, or by what its value looks like. */
export const isSecret = (name: string, value: string): boolean =>
  secretWord.test(name) || redacted(value) !== value;

/** The arguments of a command that hold a secret: `--password x`, `--client-secret=x`. */
export function secretArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [, name = '', value] = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    if (!secretWord.test(name)) return [];
    const secret = value ?? args[index + 1];
    return secret === undefined ? [] : [secret];
  });
}
