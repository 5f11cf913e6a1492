import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Diagnostic } from 'vscode-languageserver-protocol/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  applyAction,
  atCursor,
  rangeText,
  startClient,
  type LspClient,
} from '../support/lspClient.ts';

const workflow = (retryStrategy: string): string =>
  `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  name: demo
spec:
  entrypoint: main
  templates:
    - name: main
      container: {image: alpine}
      retryStrategy:
${retryStrategy}`;

const mistaken = workflow(`        limit: 3
        retryOn: Always # why
        backoff:
          duration: "1d"
          factor: 2
`);

const uri = (name: string): string => `file:///manifests/${name}.yaml`;

let client: LspClient;
beforeAll(async () => {
  client = await startClient();
});
afterAll(async () => {
  const code = await client.stop();
  if (code !== 0) throw new Error(`The server ended with ${String(code)}.`);
});

type Told = readonly [
  range: string,
  severity: number | undefined,
  code: unknown,
  message: Diagnostic['message'],
];

const told = async (which: string): Promise<readonly Told[]> =>
  (await client.diagnostics(which)).map(({ range, severity, code, message }) => [
    rangeText(range),
    severity,
    code,
    message,
  ]);

const expectMistakes: readonly Told[] = [
  [
    '12:9-12:16',
    2,
    'policy/unknown-field',
    'Argo Workflows does not know `retryOn` here: it has no effect; did you mean `retryPolicy`?',
  ],
  [
    '14:21-14:25',
    1,
    'policy/bad-duration',
    'duration: `1d` cannot be read, the first failure ends the node in Error and nothing is retried: `d` is not a unit: Go durations know ns, us, ms, s, m and h; write 24h',
  ],
];

describe('diagnostics', () => {
  it('name range, severity, code, message, link and tag', async () => {
    await client.open(uri('mistaken'), mistaken);
    expect(await told(uri('mistaken'))).toEqual(expectMistakes);
    const [unknown, duration] = await client.diagnostics(uri('mistaken'));
    expect(unknown?.tags).toEqual([1]);
    expect(duration?.tags).toBeUndefined();
    expect(duration?.codeDescription?.href).toMatch(
      /docs\/reference\/policy\.md#policy-bad-duration$/,
    );
    expect(duration?.source).toBe('Kube Backoff');
  });

  it('answer unchanged while nothing changed, and follow an edit', async () => {
    const which = uri('edited');
    await client.open(which, mistaken);
    const first = await client.pull(which);
    const again = await client.pull(which, first.resultId);
    expect(again.kind).toBe('unchanged');
    const range = { start: { line: 13, character: 21 }, end: { line: 13, character: 23 } };
    await client.change(which, 2, [{ range, text: '2m' }]);
    expect(await told(which)).toEqual([expectMistakes[0]]);
    await client.close(which);
    expect(await client.diagnostics(which)).toEqual([]);
  });

  it('judge each document of a stream alone, whatever its neighbours hold', async () => {
    const which = uri('stream');
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {limit: "six"}\n';
    await client.open(
      which,
      `# comment\n---\n${config}---\n${mistaken}...\n---\n# nothing\n---\n${config}`,
    );
    expect((await told(which)).map(([range]) => range)).toEqual(['19:9-19:16', '21:21-21:25']);
  });

  it('count UTF-16 units behind astral characters, CRLF and a byte order mark', async () => {
    const which = uri('utf16');
    const flow =
      "apiVersion: argoproj.io/v1alpha1\r\nkind: Workflow\r\nspec:\r\n  templates:\r\n    - {name: '🚀🚀', container: {}, retryStrategy: {limit: 2, retryOn: Always}}\r\n";
    await client.open(which, `\uFEFF${flow}`);
    const column = "    - {name: '🚀🚀', container: {}, retryStrategy: {limit: 2, ".length + 1;
    expect((await told(which)).map(([range]) => range)).toEqual([
      `5:${String(column)}-5:${String(column + 7)}`,
    ]);
  });

  it('read JSON and lists of objects', async () => {
    const which = 'file:///manifests/list.json';
    const item = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      spec: {
        templates: [{ name: 'a', container: {}, retryStrategy: { limit: 1, retryOn: 'x' } }],
      },
    };
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item, item] }, null, 2);
    await client.open(which, text, 'json');
    expect((await told(which)).map(([, , code]) => code)).toEqual([
      'policy/unknown-field',
      'policy/unknown-field',
    ]);
  });

  it('stay silent on templated values and on other kinds', async () => {
    const which = uri('templated');
    const templated = workflow(
      '        limit: "{{inputs.parameters.limit}}"\n        backoff: {duration: "$(WAIT)", factor: "${FACTOR}"}\n',
    );
    await client.open(
      which,
      `${templated}---\napiVersion: example.test/v1\nkind: Thing\nspec: {retryStrategy: {limit: x}}\n`,
    );
    expect(await told(which)).toEqual([]);
  });
});

describe('hover', () => {
  const hoverAt = async (
    name: string,
    marked: string,
  ): Promise<readonly [string, string] | null> => {
    const { text, position } = atCursor(marked);
    await client.open(uri(name), text);
    const hover = await client.hover(uri(name), position);
    if (hover?.range === undefined || typeof hover.contents === 'string') return null;
    return 'value' in hover.contents ? [rangeText(hover.range), hover.contents.value] : null;
  };
  const backoff = (cursor: string) =>
    workflow(`        limit: 10\n        backoff: {duration: "1", factor: 2, ${cursor}cap: "5"}\n`);

  it('shows the sentence, the table with the cap, the end and the source', async () => {
    const [range, text] = (await hoverAt('hover', backoff('<|>'))) ?? ['', ''];
    expect(range).toBe('12:45-12:48');
    expect(text).toContain(
      '10 retries (11 attempts): 1s, 2s, 4s, 5s from then on; 42s of waiting in all',
    );
    expect(text).toContain('| 3 | 4s | 7s |\n| 4 | 5s **cap** | 12s |');
    expect(text).toContain('| … | *4 more retries* | |\n| 10 | 5s **cap** | 42s |');
    expect(text).toContain('**Ends by** `limit`: the node fails after retry 10');
    expect(text).toContain('`▂▃▆████████'.slice(0, 4));
    expect(text).toContain('Without it: 10 retries');
    expect(text).toContain('Computed for Argo Workflows 4.1.2 (assumed');
  });

  it('explains the block on its key and nothing outside policies', async () => {
    const onKey = await hoverAt(
      'block',
      workflow('        limit: 2\n').replace('retryS', 'retry<|>S'),
    );
    expect(onKey?.[0]).toBe('10:7-10:20');
    expect(onKey?.[1]).toContain(
      '2 retries (3 attempts): no wait between them; 0s of waiting in all',
    );
    expect(
      await hoverAt('outside', workflow('        limit: 2\n').replace('entry', 'en<|>try')),
    ).toBeNull();
  });

  it('shows what an alias and a merge key lead to', async () => {
    const shared = `x: &r {limit: 3, backoff: {duration: 10s, factor: 2}}
apiVersion: argoproj.io/v1alpha1
kind: Workflow
spec:
  templates:
    - {name: one, container: {}, retryStrategy: *<|>r}
    - name: two
      container: {}
      retryStrategy: {<<: *r, limit: 1}
`;
    const alias = await hoverAt('alias', shared);
    expect(alias?.[1]).toContain('3 retries (4 attempts): 10s, 20s, 40s; 1m10s of waiting in all');
    const merge = await hoverAt('merge', shared.replace('<|>', '').replace('{<<', '{<<|><'));
    expect(merge?.[1]).toContain('1 retry (2 attempts): 10s; 10s of waiting in all');
  });

  it('folds the sources and draws a picture where the client shows them', async () => {
    const rich = await startClient({ initializationOptions: { html: true, images: true } });
    await rich.open(uri('rich'), backoff(''));
    const hover = await rich.hover(uri('rich'), { line: 9, character: 8 });
    const text =
      hover !== null && typeof hover.contents === 'object' && 'value' in hover.contents
        ? hover.contents.value
        : '';
    expect(text).toMatch(
      /!\[Waits: 1s, 2s, 4s, 5s[^\]]*\]\(data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+\)/,
    );
    expect(text).toContain('<details><summary>Formula, version and source</summary>');
    expect(await rich.stop()).toBe(0);
  });
});

describe('code actions', () => {
  it('fix what they say, keep comments and quotes, and prefer the one right answer', async () => {
    const which = uri('fixes');
    await client.open(which, mistaken);
    const line = (number: number) => ({
      start: { line: number, character: 10 },
      end: { line: number, character: 10 },
    });
    const onKey = await client.actions(which, line(11));
    expect(onKey.map(({ title, isPreferred }) => [title, isPreferred])).toEqual([
      ['Rename to retryPolicy', true],
      ['Remove retryOn', false],
      ['Ignore policy/unknown-field here', undefined],
    ]);
    const [rename, , ignore] = onKey;
    expect(rename && applyAction(mistaken, rename)).toBe(
      mistaken.replace('retryOn', 'retryPolicy'),
    );
    expect(ignore && applyAction(mistaken, ignore)).toBe(
      mistaken.replace(
        '        retryOn',
        '        # kube-backoff-ignore policy/unknown-field\n        retryOn',
      ),
    );
    const onValue = await client.actions(which, {
      start: { line: 13, character: 22 },
      end: { line: 13, character: 22 },
    });
    expect(onValue[0] && applyAction(mistaken, onValue[0])).toBe(mistaken.replace('"1d"', '"24h"'));
  });

  it('fix all preferred ones at once', async () => {
    const which = uri('all');
    await client.open(which, mistaken);
    await client.diagnostics(which);
    const everything = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const [all] = await client.actions(which, everything, ['source.fixAll']);
    expect(all && applyAction(mistaken, all)).toBe(
      mistaken.replace('retryOn', 'retryPolicy').replace('"1d"', '"24h"'),
    );
  });
});

describe('completion and hints', () => {
  it('offers the values of an enumeration, the default marked', async () => {
    const { text, position } = atCursor(workflow('        limit: 2\n        retryPolicy: <|>\n'));
    await client.open(uri('enum'), text);
    const items = await client.completions(uri('enum'), position);
    expect(items.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['Always', 'OnFailure', 'OnError', 'OnTransientError']),
    );
  });

  it('offers the fields a block does not have yet', async () => {
    const { text, position } = atCursor(workflow('        limit: 2\n        <|>\n'));
    await client.open(uri('keys'), text);
    const labels = (await client.completions(uri('keys'), position)).map(({ label }) => label);
    expect(labels).toContain('retryPolicy');
    expect(labels).not.toContain('limit');
    expect(await client.completions(uri('keys'), { line: 5, character: 2 })).toEqual([]);
  });

  it('hints the waits behind the line that opens a block, unless switched off', async () => {
    const text = workflow('        limit: 3\n        backoff: {duration: 10s, factor: 2}\n');
    await client.open(uri('hints'), text);
    const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } };
    const hints = await client.hints(uri('hints'), range);
    expect(hints.map(({ label, position }) => [label, position])).toEqual([
      ['3×: 10s, 20s, 40s', { line: 9, character: 20 }],
    ]);
    await client.setConfiguration({ inlayHints: { enabled: false } });
    expect(await client.hints(uri('hints'), range)).toEqual([]);
    await client.setConfiguration(null);
  });
});

describe('settings', () => {
  it('change severities, versions and systems without a restart', async () => {
    const which = uri('settings');
    await client.open(which, mistaken);
    await client.setConfiguration({
      severity: { 'policy/unknown-field': 'off', 'policy/bad-duration': 'hint' },
    });
    expect((await told(which)).map(([, severity, code]) => [severity, code])).toEqual([
      [4, 'policy/bad-duration'],
    ]);
    await client.setConfiguration({ systems: { 'argo-workflows': false } });
    expect(await told(which)).toEqual([]);
    await client.setConfiguration(null);
    expect(await told(which)).toEqual(expectMistakes);
  });

  it('add the versions that a connected cluster shows, which set ones win over', async () => {
    const detected = { versions: { 'argo-workflows': '3.6.0' } };
    const own = await startClient({ configuration: { detected } });
    const which = uri('detected');
    await own.open(
      which,
      workflow('        limit: 3\n        backoff: {duration: 10s, factor: 2, cap: 15s}\n'),
    );
    const [finding] = await own.diagnostics(which);
    expect(finding?.code).toBe('policy/needs-version');
    expect(finding?.message).toContain('3.6.0');
    await own.setConfiguration({ detected, versions: { 'argo-workflows': '3.7.0' } });
    expect(await own.diagnostics(which)).toEqual([]);
    expect(await own.stop()).toBe(0);
  });

  it('read the nearest .kube-backoff.yaml, which wins over them', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kube-backoff-'));
    writeFileSync(path.join(folder, '.kube-backoff.yaml'), 'versions: {argo-workflows: "3.6.0"}\n');
    const own = await startClient({
      folder: pathToFileURL(folder).href,
      configuration: { versions: { 'argo-workflows': '3.4.0' } },
    });
    const which = pathToFileURL(path.join(folder, 'wf.yaml')).href;
    await own.open(
      which,
      workflow('        limit: 3\n        backoff: {duration: 10s, factor: 2, cap: 15s}\n'),
    );
    const [finding] = await own.diagnostics(which);
    expect(finding?.code).toBe('policy/needs-version');
    expect(finding?.message).toContain('3.6.0');
    expect(await own.stop()).toBe(0);
  });
});

describe('clients that do not pull', () => {
  it('get diagnostics pushed with the version, and cleared on close', async () => {
    const old = await startClient({ capabilities: {} });
    expect(old.initialized.capabilities.diagnosticProvider).toBeUndefined();
    const which = uri('pushed');
    const first = old.nextPush(which);
    await old.open(which, mistaken);
    expect((await first).diagnostics.map(({ range }) => rangeText(range))).toEqual(
      expectMistakes.map(([range]) => range),
    );
    const cleared = old.nextPush(which);
    await old.close(which);
    expect((await cleared).diagnostics).toEqual([]);
    expect(await old.stop()).toBe(0);
  });
});
