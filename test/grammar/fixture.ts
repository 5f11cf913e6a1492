import type { Token, Tokenizer } from './engine.ts';

/** A case of a fixture: YAML with its expectations under the lines, below `=== name`. */
export type Case = { readonly name: string; readonly body: string };

const marker = /^#(?:<-*| *\^+) \S/;

/** The cases of a fixture file. */
export function cases(fixture: string): readonly Case[] {
  return fixture
    .split(/^=== /m)
    .filter((part) => part !== '')
    .map((part) => {
      const end = part.indexOf('\n');
      return { name: part.slice(0, end), body: part.slice(end + 1).trimEnd() };
    });
}

/** The YAML of a case, without the expectations: a block scalar would contain them. */
export function yamlOf({ body }: Case): string {
  return body
    .split('\n')
    .filter((line) => !marker.test(line))
    .join('\n');
}

/**
 * The YAML with one line of carets under each token of ours, as the fixture writes it:
 *
 *     limit: 10
 *     #      ^^ constant.numeric.limit
 *
 * `#<---` covers the columns from the left edge, which the `#` itself takes.
 */
export function annotated(yaml: string, tokenize: Tokenizer): string {
  const lines = yaml.split('\n');
  return tokenize(yaml)
    .flatMap((tokens, at) => [lines[at] ?? '', ...joined(tokens).map(carets)])
    .join('\n');
}

/** The scopes a theme colours by: ours, but not the `meta.` ones around them. */
function own(token: Token): string {
  return token.scopes
    .filter((scope) => scope.endsWith('.kube-backoff') && !scope.startsWith('meta.'))
    .map((scope) => scope.slice(0, -'.kube-backoff'.length))
    .join(' ');
}

function carets(token: Token): string {
  const reach =
    token.start === 0
      ? '#<'.padEnd(token.end, '-')
      : '#'.padEnd(token.start) + '^'.repeat(token.end - token.start);
  return `${reach} ${own(token)}`;
}

/** Neighbours of one colour are one token to the reader. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const found: Token[] = [];
  for (const token of tokens) {
    if (own(token) === '') continue;
    const before = found.at(-1);
    if (before !== undefined && before.end === token.start && own(before) === own(token)) {
      found[found.length - 1] = { ...before, end: token.end };
    } else found.push(token);
  }
  return found;
}
