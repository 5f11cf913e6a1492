import { Option } from 'commander';
import { families } from '../engine/families/index.ts';
import { familyJson, type FamilyJson } from '../engine/familyJson.ts';
import {
  clean,
  withCommonOptions,
  type CliCommand,
  type ColorWish,
  type Styles,
} from './terminal.ts';

type Options = { readonly format: 'text' | 'json'; readonly color: ColorWish };

/** `kube-backoff families` */
export const familiesCommand: CliCommand = (program, terminal) => {
  const command = program
    .command('families')
    .description(
      'List every kind of retry policy that is known, with fields, defaults and sources.',
    )
    .addOption(
      new Option('--format <name>', 'the form of the result')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(({ format, color }: Options) => {
      const list = families.map(familyJson);
      const text =
        format === 'json'
          ? `${JSON.stringify({ version: 1, families: list }, null, 2)}\n`
          : list.map((family) => renderFamily(family, terminal.styles(color))).join('\n');
      terminal.out(text);
      terminal.exit(clean);
    });
  withCommonOptions(command);
};

function renderFamily(family: FamilyJson, styles: Styles): string {
  const { id, title, summary, formula, sites, fields, versions, sources, docs } = family;
  const nameWidth = Math.max(0, ...fields.map(({ name }) => name.length));
  const absentWidth = Math.max(0, ...fields.map((field) => absenceOf(field).length));
  const lines = [
    `${styles.bold(id)}  ${title} ${styles.dim(`(${family.system.title} ${versions})`)}`,
    `  ${summary}`,
    '',
    ...sites.map(({ group, kinds, anchor }) => {
      const where = group === '' ? '' : ` (${group})`;
      return `  stands at  ${kinds.join(', ')}${where}: ${anchor === '' ? 'the whole object' : anchor}`;
    }),
    `  formula    ${formula}`,
    ...fields.map(
      (field) =>
        `  field      ${field.name.padEnd(nameWidth)}  ${absenceOf(field).padEnd(absentWidth)}  ${styles.dim(field.summary)}`,
    ),
    ...sources.map((source) => `  source     ${styles.dim(source)}`),
    `  reference  ${docs}`,
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function absenceOf({ absent }: FamilyJson['fields'][number]): string {
  switch (absent.kind) {
    case 'default':
      return `default ${absent.text}`;
    case 'required':
      return 'required';
    case 'unset':
      return 'not set by default';
  }
}
