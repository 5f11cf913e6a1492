const secrets: readonly RegExp[] = [
  // JSON web tokens, and what follows words that introduce a secret.
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /((?:bearer|basic)\s+)[\w+/=.~-]{8,}/gi,
  /((?:token|password|passwd|secret|apikey|api_key|access_key|client_secret|id_token|code)["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
  // Credentials in addresses.
  /(\/\/)[^\s/@]+(?=@)/g,
  // Private keys, and long runs that look like encoded data.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b[A-Za-z0-9+/_-]{48,}={0,2}/g,
];

/** A foreign text without what may be a secret in it. */
export function redacted(text: string): string {
  let safe = text;
  for (const secret of secrets) {
    safe = safe.replace(secret, (_match, lead: unknown) =>
      typeof lead === 'string' ? `${lead}[redacted]` : '[redacted]',
    );
  }
  return safe;
}
