import { emptyEnvironment, type Environment } from '../../engine/environment.ts';
import type { Example, PolicyFamily } from '../../engine/family.ts';
import type { Code } from '../../engine/finding.ts';
import { buildRegistry } from '../../engine/registry.ts';
import { emptyConfiguration, knownNames } from '../../server/src/analysis/configuration.ts';
import { judge, type Judgement } from '../../server/src/analysis/judge.ts';
import { analyseFile, type FileAnalysis } from '../../server/src/analysis/file.ts';

/** A manifest of the tests, by its file name. */
export type Fixture = { readonly name: string; readonly text: string };

/** A manifest that shows a finding, and what is said there. */
export type Shown = { readonly yaml: string; readonly message: string };

export type Showcase = ReadonlyMap<Code, Shown>;

/** For each finding code the shortest manifest that has it, of the examples and fixtures there are. */
export function showcase(
  families: readonly PolicyFamily[],
  fixtures: readonly Fixture[],
): Showcase {
  const shown = new Map<Code, Shown>();
  const registry = buildRegistry(families);
  const judgement: Judgement = {
    configuration: emptyConfiguration,
    ignoredCodes: new Set(),
    known: knownNames(families),
  };
  const manifests = [
    { yaml: uselessComment, env: emptyEnvironment },
    ...families.flatMap(({ examples }) =>
      examples.map((example) => ({ yaml: example.yaml, env: environmentOf(example) })),
    ),
    ...fixtures.map(({ text }) => ({
      yaml: text,
      env: environmentOf({ versions: versionsIn(text) }),
    })),
  ];
  for (const { yaml, env } of manifests) {
    for (const [found, one] of shownIn(analyseFile(yaml, { registry, env }), judgement)) {
      const known = shown.get(found);
      if (known === undefined || one.yaml.length < known.yaml.length) shown.set(found, one);
    }
  }
  return shown;
}

/** A comment is judged beside the families, so none of their examples shows it. */
const uselessComment = `apiVersion: batch/v1
kind: Job
metadata:
  name: import
spec:
  # kube-backoff-ignore policy/bad-number: read by the template
  backoffLimit: 3
`;

export const environmentOf = ({
  versions,
  controllers,
}: Pick<Example, 'versions' | 'controllers'>): Environment => ({
  ...emptyEnvironment,
  versions: new Map(Object.entries(versions ?? {})),
  controllers: new Map(Object.entries(controllers ?? {})),
});

/** `# versions: argo-workflows=3.4.0, kubernetes=1.27` at the head of a fixture. */
function versionsIn(text: string): Readonly<Record<string, string>> {
  const list = /^# versions: (.+)$/m.exec(text)?.[1] ?? '';
  return Object.fromEntries(
    list.split(/,\s*/).flatMap((pair) => {
      const [system, version] = pair.split('=');
      return system === undefined || version === undefined ? [] : [[system, version]];
    }),
  );
}

function* shownIn(file: FileAnalysis, judgement: Judgement): Generator<[Code, Shown]> {
  for (const document of file.documents) {
    for (const { code, message, at } of judge(document, file, judgement)) {
      const { line } = document.lines.positionAt(at.start);
      yield [code, { yaml: excerpt(document.text, line), message }];
    }
  }
}

const around = { before: 14, after: 8 };

/** The lines around a finding without the expectations of the tests; whole where that is short enough. */
function excerpt(text: string, target: number): string {
  const kept = text
    .split(/\r?\n/)
    .map((line, index) => ({ line, index }))
    .filter(({ line, index }) => index === target || !isExpectation(line));
  const at = kept.findIndex(({ index }) => index === target);
  const from = Math.max(0, at - around.before);
  const to = Math.min(kept.length, at + around.after);
  const lines = kept.slice(from, to).map(({ line }) => line);
  const isWhole = kept.length <= around.before + around.after + 8;
  return (isWhole ? kept.map(({ line }) => line) : lines).join('\n').trim();
}

const isExpectation = (line: string): boolean =>
  /^\s*#\s*\^+ (?:error|warning|info|hint) /.test(line) ||
  line.startsWith('# versions: ') ||
  line === '---';
