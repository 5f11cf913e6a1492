import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { families } from '../../engine/families/index.ts';
import { codeOf } from '../../engine/family.ts';
import type { Code, Severity } from '../../engine/finding.ts';
import { policyCodes } from '../../engine/policyRules.ts';
import type { RangeJson } from '../../engine/policyJson.ts';
import { jsonText } from '../foreignText.ts';
import { repository, version } from '../../engine/project.ts';
import { docsUrl } from '../../engine/reference.ts';
import type { Problem } from '../inputFiles.ts';
import type { FindingJson, FixJson, LintDetails } from '../lintReport.ts';

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';

/** Findings as a SARIF 2.1.0 log of one run. */
export function renderSarif({ report }: LintDetails): string {
  const codes = [...new Set(report.findings.map(({ code }) => code))].toSorted();
  const log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Kube Backoff',
            version,
            semanticVersion: version,
            informationUri: repository,
            rules: codes.map(ruleOf),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The working directory' } } },
        invocations: [
          {
            executionSuccessful: report.problems.length === 0,
            toolExecutionNotifications: report.problems.map(notification),
          },
        ],
        results: report.findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  };
  return `${jsonText(log)}\n`;
}

type RuleText = {
  readonly summary: string;
  readonly explanation: string;
  readonly severity: Severity;
};

/** What the reference says of each code; a severity of ours is the code's usual one. */
function ruleTexts(): ReadonlyMap<Code, RuleText> {
  const texts = new Map<Code, RuleText>();
  for (const [slug, summary] of Object.entries(policyCodes)) {
    texts.set(`policy/${slug}`, { summary, explanation: summary, severity: 'warning' });
  }
  for (const family of families) {
    for (const rule of [...family.rules, ...(family.documentRules ?? [])]) {
      texts.set(codeOf(family, rule), rule);
    }
  }
  return texts;
}

function ruleOf(code: Code): object {
  const text = ruleTexts().get(code);
  return {
    id: code,
    helpUri: docsUrl(code),
    ...(text === undefined
      ? {}
      : {
          shortDescription: { text: text.summary },
          fullDescription: { text: text.summary },
          help: { text: text.explanation, markdown: text.explanation },
          defaultConfiguration: { level: levelOf(text.severity) },
        }),
  };
}

function resultOf(finding: FindingJson, ruleIndex: number): object {
  const { file, code, severity, message, range, related, fixes } = finding;
  return {
    ruleId: code,
    ruleIndex,
    level: levelOf(severity),
    message: { text: message },
    locations: [{ physicalLocation: physical(file, range) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((one, id) => ({
            id,
            message: { text: one.message },
            physicalLocation: physical(file, one.range),
          })),
        }),
    ...(fixes.length === 0 ? {} : { fixes: fixes.map((fix) => fixOf(file, fix)) }),
  };
}

const fixOf = (file: string, { title, edits }: FixJson): object => ({
  description: { text: title },
  artifactChanges: [
    {
      artifactLocation: artifact(file),
      replacements: edits.map((edit) => ({
        deletedRegion: region(edit.range),
        insertedContent: { text: edit.newText },
      })),
    },
  ],
});

const notification = ({ file, message }: Problem): object => ({
  level: 'error',
  message: { text: message },
  locations: [{ physicalLocation: { artifactLocation: artifact(file) } }],
});

const physical = (file: string, range: RangeJson): object => ({
  artifactLocation: artifact(file),
  region: region(range),
});

const region = ({ start, end }: RangeJson): object => ({
  startLine: start.line,
  startColumn: start.column,
  endLine: end.line,
  endColumn: end.column,
});

function artifact(file: string): object {
  if (path.isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SRCROOT' };
}

function levelOf(severity: Severity): string {
  switch (severity) {
    case 'error':
    case 'warning':
      return severity;
    case 'info':
    case 'hint':
      return 'note';
  }
}
