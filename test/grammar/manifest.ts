import * as fc from 'fast-check';

/** A YAML mapping in lines, without indentation; the first line starts the mapping. */
type Lines = readonly string[];

const word = fc.constantFrom('limit', 'duration', 'limits', 'spec', 'name', 'expression', 'cap');
const key = fc.constantFrom(
  ...['limit', 'limits', 'spec', 'name', 'expression', 'cap', 'factor', 'backoffs', 'my-retry'],
  ...[
    'template',
    'retryOn',
    'attempts',
    'x.retry',
    'labels',
    'retryPolicy',
    'maxDuration',
    '"q k"',
  ],
);
const scalar = fc.oneof(
  fc.constantFrom('10', '10s', '"10s"', "'Always'", 'Always', '90d', '{}', '[]', '-1', '~', 'true'),
  fc.constantFrom('{limit: 2, backoff: {duration: 10s}}', '[limit, 10s]', '"{{x}}"', '{{x}}'),
  fc.constantFrom('*anchor', '&anchor value', '!!str 10', 'a:b', 'x # limit: 2'),
  fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
);
const blockScalar = fc
  .array(fc.constantFrom('retry:', '  limit: 2', 'a && b', '# not a comment', ''), {
    minLength: 1,
    maxLength: 4,
  })
  .map((lines) => ['|-', '  set -e', ...lines.map((line) => (line === '' ? '' : `  ${line}`))]);

const backoff = fc.record(
  {
    duration: fc.constantFrom('10s', '"1m30s"', '90d', '10', '"{{x}}"', '-5s'),
    factor: fc.constantFrom('2', '"2"', '"{{x}}"'),
    maxDuration: fc.constantFrom('1h', "'5m'"),
  },
  { requiredKeys: [] },
);
const policy: fc.Arbitrary<Lines> = fc
  .record(
    {
      limit: fc.constantFrom('2', '"10"', '-1', '"{{inputs.parameters.limit}}"'),
      retryPolicy: fc.constantFrom('Always', '"OnError"', 'Sometimes'),
      expression: fc.constantFrom(
        'lastRetry.exitCode != 2',
        '"asInt(lastRetry.exitCode) > 1"',
        "'retries < 3 && true'",
        '|\n  lastRetry.status == "Error"\n\n  # still the expression',
      ),
      affinity: fc.constant('\n  nodeAntiAffinity: {}'),
      backoff: backoff.map((fields) => `\n${indented(entries(fields)).join('\n')}`),
    },
    { requiredKeys: [] },
  )
  .map(entries);

const { mapping } = fc.letrec<{ mapping: Lines; entry: Lines }>((tie) => ({
  mapping: fc
    .array(tie('entry'), { minLength: 1, maxLength: 4, depthIdentifier: 'yaml' })
    .map((found) => found.flat()),
  entry: fc.oneof(
    { depthIdentifier: 'yaml', maxDepth: 4 },
    fc.tuple(key, scalar).map(([name, value]) => [`${name}: ${value}`]),
    fc.constantFrom(['# limit: 2'], ['backoffLimit: 4'], ['renewBefore: 15d'], ['duration: 1h']),
    fc.tuple(key, blockScalar).map(([name, [head, ...rest]]) => [`${name}: ${head}`, ...rest]),
    policy.map((lines) =>
      lines.length === 0 ? ['retryStrategy: {}'] : ['retryStrategy:', ...indented(lines)],
    ),
    fc.tuple(key, tie('mapping')).map(([name, lines]) => [`${name}:`, ...indented(lines)]),
    fc
      .tuple(key, fc.array(tie('mapping'), { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([name, items, deep]) => {
        const list = items.flatMap(item);
        return [`${name}:`, ...(deep ? indented(list) : list)];
      }),
  ),
}));

/** Manifests in which policies stand between keys that only look like theirs. */
export const manifest: fc.Arbitrary<string> = fc
  .array(mapping, { minLength: 1, maxLength: 2 })
  .map((documents) =>
    documents.map((lines) => ['kind: Workflow', ...lines].join('\n')).join('\n---\n'),
  );

function entries(fields: Readonly<Record<string, string>>): Lines {
  return Object.entries(fields).flatMap(([name, value]) =>
    `${name}:${value.startsWith('\n') ? '' : ' '}${value}`.split('\n'),
  );
}

function indented(lines: Lines): Lines {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function item([first = '', ...rest]: Lines): Lines {
  return [`- ${first}`, ...indented(rest)];
}
