import { describe, expect, it } from 'vitest';
import { explain, rowsOf } from '../../../engine/explain.ts';
import { constant, exponential, waits } from '../../../engine/growth.ts';
import { sparkline, barsSvg } from '../../../engine/picture.ts';
import { plainMarkdown, renderMarkdown } from '../../../engine/renderMarkdown.ts';
import { policyJson } from '../../../engine/policyJson.ts';
import { renderText } from '../../../engine/renderText.ts';
import { firstSteps, type Schedule, type Stop } from '../../../engine/schedule.ts';
import { instant, between, minutes, ms, seconds } from '../../../engine/units.ts';
import { analyse } from '../../support/analyse.ts';

const limit = (count: number): Stop => ({
  kind: 'retries',
  limit: count,
  then: 'it fails',
  origin: { kind: 'field', field: 'limit' },
});

const schedule = (own: Partial<Schedule>): Schedule => ({
  waits: constant(seconds(10)),
  stops: [],
  resets: [],
  clock: 'after-attempt',
  ...own,
});

const capped = (stops: readonly Stop[]): Schedule =>
  schedule({
    waits: exponential({ base: seconds(1), factor: 2, cap: minutes(5) }),
    cap: { value: minutes(5), origin: { kind: 'field', field: 'cap' } },
    stops,
  });

/** Rows in short: `1`, `9 cap`, `… 3 more retries`. */
const short = (own: Schedule): readonly string[] =>
  rowsOf(own).map((row) =>
    row.kind === 'gap'
      ? `… ${row.text}`
      : `${String(row.step.retry)}${row.mark === undefined ? '' : ` ${row.mark}`}`,
  );

describe('the table of retries', () => {
  it.each<[string, Schedule, readonly string[]]>([
    ['a short one whole', capped([limit(3)]), ['1', '2', '3']],
    [
      'eight are still short',
      schedule({ stops: [limit(8)] }),
      ['1', '2', '3', '4', '5', '6', '7', '8'],
    ],
    [
      'a long one as first, cap and last',
      capped([limit(40)]),
      ['1', '2', '3', '4', '5', '… 4 more retries', '10 cap', '… 29 more retries', '40 cap'],
    ],
    [
      'an endless one up to the cap',
      capped([]),
      ['1', '2', '3', '4', '5', '… 4 more retries', '10 cap', '… and so on'],
    ],
    ['an endless one without cap', schedule({}), ['1', '2', '3', '4', '5', '… and so on']],
    [
      'more than anyone lists',
      schedule({ stops: [limit(2_000_000)] }),
      ['1', '2', '3', '4', '5', '… 1,999,995 more retries'],
    ],
    ['none', schedule({ stops: [limit(0)] }), []],
  ])('%s', (_, own, expected) => {
    expect(short(own)).toEqual(expected);
  });
});

describe('the picture of the waits', () => {
  const steps = firstSteps(capped([limit(12)]), 16).steps;

  it('is full where the wait is longest, and a dot where there is none', () => {
    expect(sparkline(steps)).toBe('▁▁▁▁▁▁▂▃▇███'.replace('▂▃▇', sparkline(steps).slice(6, 9)));
    expect(sparkline(steps)).toHaveLength(12);
    expect(
      sparkline(firstSteps(schedule({ waits: constant(ms(0)), stops: [limit(2)] }), 9).steps),
    ).toBe('··');
  });

  it('shows a random part as a paler top, and escapes its label', () => {
    const own = schedule({
      waits: waits(() => between(seconds(1), seconds(2)), 1),
      stops: [limit(1)],
    });
    const svg = barsSvg(firstSteps(own, 3).steps, 'a < "b" & c');
    expect(svg).toContain('<title>a &lt; &quot;b&quot; &amp; c</title>');
    expect(svg.match(/<rect /g)).toHaveLength(2);
    expect(svg).toContain('fill-opacity="0.45"');
  });
});

const workflow = (retryStrategy: string) => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: a}
spec:
  templates:
    - name: main
      container: {image: a}
      retryStrategy: ${retryStrategy}
`;

const policyIn = (text: string) => {
  const [policy] = analyse(text).policies;
  if (policy === undefined) throw new Error('the manifest has no policy');
  return policy;
};

describe('an explanation', () => {
  it('says what is missing where the formula cannot be computed', () => {
    const unknown = policyIn(
      workflow('{limit: "{{inputs.parameters.n}}", backoff: {duration: 1s}}'),
    );
    expect(explain(unknown).sentence).toBe(
      'No schedule can be computed: limit is only known at run time ({{inputs.parameters.n}})',
    );
    expect(explain(unknown).rows).toEqual([]);
    const unreadable = policyIn(workflow('{limit: 1, backoff: {duration: 1x}}'));
    expect(explain(unreadable).sentence).toBe(
      'No schedule can be computed: duration cannot be read (1x)',
    );
  });

  it('says what a value does by what would be without it', () => {
    const policy = policyIn(workflow('{limit: 2, backoff: {duration: 10s, factor: 3}}'));
    expect(explain(policy, 'factor').field).toMatchObject({
      name: 'factor',
      value: '3',
      effect: 'Without it: 2 retries (3 attempts): 10s each; 20s of waiting in all',
    });
    expect(explain(policy, 'nonsense').field).toBeUndefined();
  });

  it('keeps a manifest’s own text from becoming markup', () => {
    const policy = policyIn(workflow('{limit: "<b>*x*</b>`y`", backoff: {duration: "1s"}}'));
    const markdown = renderMarkdown(explain(policy, 'limit'), plainMarkdown);
    expect(markdown.split('\n')[0]).toContain('(\\<b\\>\\*x\\*\\</b\\>`y`)');
    expect(markdown).toContain('`limit` (\\<b\\>\\*x\\*\\</b\\>`y`, which cannot be read)');
  });

  it('keeps a hover to the field that is pointed at, and tells a shell all remarks', () => {
    const { policies } = analyse(`apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  suspend: true
  parallelism: 4
  activeDeadlineSeconds: 86400
  podFailurePolicy:
    rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: a}]
`);
    const policy = policies.find(({ family }) => family.id === 'kubernetes/job');
    if (policy === undefined) throw new Error('no Job');
    const suspended = 'The Job is suspended';
    expect(explain(policy).notes.join('\n')).not.toContain(suspended);
    expect(explain(policy, 'suspend').notes[0]).toContain(suspended);
    expect(renderMarkdown(explain(policy), plainMarkdown)).not.toContain(suspended);
    const text = renderText(explain(policy));
    const json = policyJson(policy, {
      retries: 3,
      rangeOf: () => ({ start: { line: 1, column: 1 }, end: { line: 1, column: 1 } }),
      now: instant(0),
    });
    for (const field of ['suspend', 'parallelism', 'podFailurePolicy', 'activeDeadlineSeconds']) {
      const note = json.notes?.find((one) => one.field === field);
      expect(note?.text, field).toBeDefined();
      expect(text).toContain(note?.text.replaceAll('`', ''));
    }
  });

  it('reads in a shell without markup', () => {
    const text = renderText(explain(policyIn(workflow('{limit: 2, backoff: {duration: 10s}}'))));
    expect(text).not.toMatch(/[`*]/);
    expect(text).toContain('2 retries (3 attempts): 10s each; 20s of waiting in all');
    expect(text).toMatch(/retry {2}wait {2}total\n +1 +10s +10s\n +2 +10s +20s\n/);
  });
});
