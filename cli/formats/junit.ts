import { reaches, type FindingJson, type LintDetails } from '../lintReport.ts';
import { formatPlace } from '../ranges.ts';

/** One suite per file, one case per finding; only what fails the call counts as a failure. */
export function renderJunit(details: LintDetails): string {
  const { report, names, failOn } = details;
  const failing = report.findings.filter((finding) => reaches(finding, failOn));
  const byFile = new Map<string, FindingJson[]>(names.map((name) => [name, []]));
  for (const finding of report.findings) byFile.get(finding.file)?.push(finding);
  const suites = [...byFile].map(([file, findings]) => suite(file, findings, details));
  const cases = Math.max(
    0,
    [...byFile.values()].reduce((sum, { length }) => sum + Math.max(1, length), 0),
  );
  const total = cases + report.problems.length;
  const counts = `tests="${String(total)}" failures="${String(failing.length)}" errors="${String(report.problems.length)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kube-backoff" ${counts}>`,
    ...suites,
    ...report.problems.map(({ file, message }) =>
      [
        `  <testsuite name="${xml(file)}" tests="1" failures="0" errors="1">`,
        `    <testcase classname="${xml(file)}" name="readable">`,
        `      <error message="${xml(message)}" type="problem"/>`,
        '    </testcase>',
        '  </testsuite>',
      ].join('\n'),
    ),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(file: string, findings: readonly FindingJson[], { failOn }: LintDetails): string {
  const failures = findings.filter((finding) => reaches(finding, failOn)).length;
  const tests = Math.max(1, findings.length);
  const cases =
    findings.length === 0
      ? [`    <testcase classname="${xml(file)}" name="no findings"/>`]
      : findings.map((finding) => testcase(finding, reaches(finding, failOn)));
  return [
    `  <testsuite name="${xml(file)}" tests="${String(tests)}" failures="${String(failures)}" errors="0">`,
    ...cases,
    '  </testsuite>',
  ].join('\n');
}

function testcase(finding: FindingJson, isFailure: boolean): string {
  const { file, code, severity, message, range, docs } = finding;
  const place = formatPlace(file, range);
  const text = xml(`${place}: ${severity}: ${message}\n${docs}`);
  const body = isFailure
    ? `<failure message="${xml(message)}" type="${severity}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return [
    `    <testcase classname="${xml(file)}" name="${xml(`${code} ${place}`)}">`,
    `      ${body}`,
    '    </testcase>',
  ].join('\n');
}

/** Text for XML 1.0, which has no way to write most control characters and advises against the others. */
const xml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
