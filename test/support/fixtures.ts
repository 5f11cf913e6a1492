import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../engine/finding.ts';
import { lineIndex } from '../../server/src/analysis/lines.ts';

const folder = path.join(import.meta.dirname, '../fixtures');

export type Fixture = { readonly name: string; readonly text: string };

/** The manifests of `test/fixtures`, whose expectations stand in caret comments under the text. */
export function fixtures(): readonly Fixture[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

/** One line per expectation or finding, so that a difference reads as one line. */
export type Line = string;

/**
 * What a fixture expects: `limit: -1` over `#      ^^ warning argo-workflows/x the whole message`.
 *
 * The carets cover the finding's span on the last line above that is no expectation. A span over several lines
 * is marked on its first line, up to the line's end.
 */
export function expectations(text: string): readonly Line[] {
  const lines = text.split(/\r?\n/);
  const expected: Line[] = [];
  let target = 0;
  for (const [index, line] of lines.entries()) {
    const match = caretLine.exec(line);
    if (match === null) {
      target = index;
      continue;
    }
    const [, before = '', carets = '', severity = '', code = '', message = ''] = match;
    const start = before.length;
    expected.push(format(target, start, start + carets.length, severity, code, message));
  }
  return expected.toSorted();
}

const caretLine = /^(\s*#\s*)(\^+) (error|warning|info|hint) (\S+\/\S+) (.+)$/;

/** The versions a fixture asks for: `# versions: argo-workflows=3.4.0, kubernetes=1.27`. */
export function versionsIn(text: string): Readonly<Record<string, string>> {
  const match = /^# versions: (.+)$/m.exec(text);
  const pairs = (match?.[1] ?? '').split(/,\s*/).filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** Findings as the same lines. */
export function findingLines(text: string, findings: readonly Finding[]): readonly Line[] {
  const index = lineIndex(text);
  return findings
    .map(({ at, severity, code, message }) => {
      const start = index.positionAt(at.start);
      const end = index.positionAt(at.end);
      const lineEnd = (text.split('\n')[start.line] ?? '').replace(/\r$/, '').length;
      const last = end.line === start.line ? end.character : lineEnd;
      return format(start.line, start.character, last, severity, code, message);
    })
    .toSorted();
}

const format = (
  line: number,
  start: number,
  end: number,
  severity: string,
  code: string,
  message: string,
): Line =>
  `${String(line + 1)}:${String(start + 1)}-${String(end + 1)} ${severity} ${code} ${message}`;
