import type { AnalysedPolicy } from '../../engine/analysePlace.ts';
import { formatWindow } from '../../engine/durations/format.ts';
import { explain } from '../../engine/explain.ts';
import { sourcesOf } from '../../engine/familyJson.ts';
import { codeOf, type PolicyFamily } from '../../engine/family.ts';
import type { Field } from '../../engine/field.ts';
import { buildRegistry } from '../../engine/registry.ts';
import { anchorOf } from '../../engine/reference.ts';
import { formatPath } from '../../engine/source.ts';
import { analyseFile } from '../../server/src/analysis/file.ts';
import { environmentOf, type Showcase } from './findings.ts';
import { cited, code, pageHead, table, yamlBlock } from './markdown.ts';

/** Everything that is known of one family, on one page. */
export function familyPage(family: PolicyFamily, shown: Showcase): string {
  return [
    ...pageHead(family.title),
    family.summary,
    '',
    `Family ${code(family.id)}, from the source of ${family.system.title} ${family.system.assumes.version}.`,
    '',
    '## Where it stands',
    '',
    ...sites(family),
    '## Fields',
    '',
    ...fields(family),
    '## Formula',
    '',
    family.formula,
    '',
    `Source: ${cited(family.cite)}.`,
    '',
    ...example(family),
    ...findings(family, shown),
    '## Live state',
    '',
    ...liveState(family),
    '## Sources',
    '',
    ...sourcesOf(family).map((source) => `- ${cited(source)}`),
    '',
  ].join('\n');
}

function sites({ sites: all }: PolicyFamily): readonly string[] {
  return table(
    ['Kinds', 'API group', 'Path'],
    all.map(({ kinds, group, anchor, implied }) => [
      kinds.map(code).join(', '),
      group === '' ? 'core' : code(group),
      `${anchor === '' ? 'the whole object' : code(anchor)}${implied === true ? ', also where it is not written' : ''}`,
    ]),
  );
}

function fields(family: PolicyFamily): readonly string[] {
  return table(
    ['Field', 'What it is', 'Type', 'When left out', 'Since', 'Bounds'],
    Object.values(family.fields).map((field) => [
      code(field.path),
      field.summary,
      field.format.name,
      whenLeftOut(field),
      field.since === undefined ? '' : `${field.since.version}; before: ${field.since.before}`,
      boundsText(field),
    ]),
  );
}

function whenLeftOut({ absent, format }: Field<unknown>): string {
  switch (absent.kind) {
    case 'default':
      return `${code(format.write(absent.value))} (${cited(absent.cite)})`;
    case 'required':
      return `required: ${absent.consequence}`;
    case 'unset':
      return absent.means;
  }
}

function boundsText({ bounds, format }: Field<unknown>): string {
  if (bounds === undefined) return '';
  const { min, max, consequence, cite } = bounds;
  const limits = [
    ...(min === undefined ? [] : [`at least ${code(format.write(min))}`]),
    ...(max === undefined ? [] : [`at most ${code(format.write(max))}`]),
  ];
  return `${limits.join(', ')}: otherwise ${consequence} (${cited(cite)})`;
}

/** The first example of the family, with what comes of it. */
function example(family: PolicyFamily): readonly string[] {
  const [first] = family.examples;
  if (first === undefined) return [];
  const context = { registry: buildRegistry([family]), env: environmentOf(first) };
  const policies = analyseFile(first.yaml, context).documents.flatMap(
    (document) => document.policies().policies,
  );
  const meant = policies.find(
    ({ policy }) => first.anchor === undefined || formatPath(policy.anchor) === first.anchor,
  );
  return [
    `## Example: ${first.name}`,
    '',
    ...yamlBlock(first.yaml),
    ...(meant === undefined ? [] : outcome(meant)),
  ];
}

function outcome(analysed: AnalysedPolicy): readonly string[] {
  const { sentence, rows, end, resets, cap } = explain(analysed);
  return [
    `${sentence}.`,
    '',
    ...table(
      ['Retry', 'Wait', 'Waited in all'],
      rows.map((row) =>
        row.kind === 'gap'
          ? ['…', row.text, '']
          : [
              String(row.step.retry),
              formatWindow(row.step.wait) + (row.mark === 'cap' ? ' (cap)' : ''),
              formatWindow(row.step.total),
            ],
      ),
    ),
    ...(cap === undefined ? [] : [`- Cap: ${cap}`]),
    ...(end === '' ? [] : [`- Ends by: ${end}`]),
    ...resets.map((reset) => `- Resets: ${reset}`),
    '',
  ];
}

function findings(family: PolicyFamily, shown: Showcase): readonly string[] {
  const rules = [...family.rules, ...(family.documentRules ?? [])];
  if (rules.length === 0) return [];
  return [
    '## Findings',
    '',
    'What holds in every family is on [a page of its own](policy.md).',
    '',
    ...rules.flatMap((rule) => {
      const own = codeOf(family, rule);
      return [
        `### <a id="${anchorOf(own)}"></a>${code(own)}`,
        '',
        `**${rule.severity}** · ${rule.summary}`,
        '',
        rule.explanation.trim(),
        '',
        ...shownFinding(own, shown),
        `Source: ${cited(rule.cite)}.`,
        '',
      ];
    }),
  ];
}

/** A manifest that has the finding, with the message. */
export function shownFinding(own: `${string}/${string}`, shown: Showcase): readonly string[] {
  const one = shown.get(own);
  return one === undefined ? [] : [...yamlBlock(one.yaml), `> ${one.message}`, ''];
}

function liveState({ live, system }: PolicyFamily): readonly string[] {
  if (live === undefined) {
    return [
      `${system.title} reports nothing in the cluster from which the state could be read.`,
      '',
    ];
  }
  const kinds = (types: typeof live.reads): string =>
    [...new Set(types.map(({ kind }) => kind))].map(code).join(', ');
  const also = live.alsoNeeds.length === 0 ? '' : `, with the help of ${kinds(live.alsoNeeds)}`;
  return [`Read from ${kinds(live.reads)}${also}.`, ''];
}
