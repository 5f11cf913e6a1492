import { describe, expect, it } from 'vitest';
import {
  containerKnobs,
  isWholeContainer,
  itemPathOf,
  knobsNamed,
  knobSites,
} from '../../../engine/containerKnobs.ts';
import { replaceText } from '../../../engine/edits.ts';
import { nodeAt, type SourceNode } from '../../../engine/source.ts';
import { isRunTimeText } from '../../../engine/runTimeText.ts';
import { parseYamlDocument } from '../../../server/src/analysis/yamlDocument.ts';

const read = (text: string): SourceNode => {
  const parsed = parseYamlDocument(text);
  if (parsed === undefined) throw new Error('no document');
  return parsed.tree.root;
};

/** `name@key text=value@value text`, as the spans cut them out of the manifest. */
const knobs = (text: string, part: 'args' | 'env'): readonly string[] => {
  const view = containerKnobs(read(text));
  const map = view === undefined ? undefined : nodeAt(view, [part]);
  if (map?.kind !== 'map') return [];
  const cut = (span?: { start: number; end: number }) =>
    span === undefined ? '' : text.slice(span.start, span.end);
  return [...map.children].map(([name, node]) =>
    node.kind === 'scalar' ? `${name}@${cut(node.key)}=${node.text}@${cut(node.span)}` : name,
  );
};

describe('flags', () => {
  it.each([
    ['plain', 'args:\n- --min-retry-delay=1s\n', ['min-retry-delay@min-retry-delay=1s@1s']],
    ['quoted', 'args: ["--a-b=5m", \'-c=1\']', ['a-b@a-b=5m@5m', 'c@c=1@1']],
    [
      'in two items',
      'args:\n- --a\n- "2s"\n- --b\n- --c=\n',
      ['a@a=2s@"2s"', 'b@b=true@b', 'c@c=@'],
    ],
    ['a negative number', 'args: [--a, "-1"]', ['a@a=-1@"-1"']],
    ['in command', 'command: [/manager, --a=1]\nargs: [--a=2]', ['a@a=2@2']],
    [
      'a text with =',
      'args: [--feature-gates=A=true]',
      ['feature-gates@feature-gates=A=true@A=true'],
    ],
    ['an escape', 'args: ["--a=\\u0031s"]', ['a@--a=\\u0031s=1s@--a=\\u0031s']],
    ['a block', 'args:\n- >-\n  --a=1s\n', ['a@>-\n  --a=1s\n=1s@>-\n  --a=1s\n']],
    ['a shell', 'command: [sh, -c]\nargs: ["exec /m --min-retry-delay=1s"]', ['c@c=true@c']],
    ['positional', 'args: [server, 5]', []],
    ['no list', 'args: --a=1', []],
  ])('reads them: %s', (_, text, expected) => {
    expect(knobs(text, 'args')).toEqual(expected);
  });
});

it('lets nothing be edited where the place is not exact', () => {
  const rough = (text: string) => {
    const view = containerKnobs(read(text));
    const node = view === undefined ? undefined : nodeAt(view, ['args', 'a']);
    return node?.kind === 'scalar' ? replaceText(node, '5s') : 'no flag';
  };
  expect(rough('args: ["--a=\\u0031s"]')).toBeUndefined();
  expect(rough('args:\n- >-\n  --a=1s\n')).toBeUndefined();
  expect(rough('args: ["--a=1s"]')).toEqual({ at: { start: 12, end: 14 }, text: '5s' });
});

describe('environment', () => {
  it('takes values, the last of two', () => {
    const text = 'env:\n- name: A\n  value: "5"\n- {name: B, value: x}\n- name: A\n  value: "6"\n';
    expect(knobs(text, 'env')).toEqual(['A@A=6@"6"', 'B@B=x@x']);
  });

  it('knows that valueFrom is filled in later', () => {
    const view = containerKnobs(
      read('env:\n- name: A\n  valueFrom:\n    configMapKeyRef: {name: cm, key: a.b}\n- name: C\n'),
    );
    const node = view === undefined ? undefined : nodeAt(view, ['env', 'A']);
    expect(node).toMatchObject({ text: '$(cm.a.b)' });
    expect(isRunTimeText('$(cm.a.b)')).toBe(true);
    expect(view === undefined ? undefined : nodeAt(view, ['env', 'C'])).toBeUndefined();
  });
});

describe('a policy made of knobs', () => {
  const text = 'name: x\nargs:\n- --other=1\n- --b=2\n- --a=3\nenv:\n- name: Z\n  value: "1"\n';

  it('is there only where one of its knobs is', () => {
    expect(knobsNamed(['args.none'])(read(text))).toBeUndefined();
    expect(knobsNamed(['args.a'])(read('[]'))).toBeUndefined();
  });

  it('is named by the first and reaches to the last', () => {
    const node = knobsNamed(['args.a', 'args.b', 'env.Z'])(read(text));
    const cut = (span?: { start: number; end: number }) => text.slice(span?.start, span?.end);
    expect(cut(node?.key)).toBe('b');
    expect(cut(node?.span)).toBe('b=2\n- --a=3\nenv:\n- name: Z\n  value: "1"');
  });

  it('knows the items it was read from', () => {
    const node = knobsNamed(['args.a', 'env.Z'])(read(text));
    const at = (...path: string[]) => {
      const knob = node === undefined ? undefined : nodeAt(node, path);
      return knob === undefined ? [] : itemPathOf(knob);
    };
    expect(at('args', 'a')).toEqual(['args', 2]);
    expect(at('env', 'Z')).toEqual(['env', 0]);
  });
});

describe('where knobs are written', () => {
  const sites = knobSites(['args.a', 'env.Z']);
  const written = (anchor: string, text: string): readonly string[] => {
    const node = sites.find((site) => site.anchor === anchor)?.view?.(read(text), read(text));
    const map = (part: string) => (node === undefined ? undefined : nodeAt(node, [part]));
    return ['args', 'env'].flatMap((part) => {
      const found = map(part);
      return found?.kind === 'map' ? [...found.children.keys()] : [];
    });
  };

  it('reads JSON patches', () => {
    const text = `- op: add
  path: /spec/template/spec/containers/0/args/-
  value: --a=1s
- op: replace
  path: /spec/template/spec/containers/0/args
  value: [--b=2]
- {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: Z, value: "1"}}
- {op: remove, path: /spec/template/spec/containers/0/args/1, value: --c=1}
- {op: add, path: /metadata/labels/args, value: --d=1}
`;
    expect(written('patches[*].patch>', text)).toEqual(['a', 'b', 'Z']);
    expect(written('patches[*].patch>', 'kind: Deployment')).toEqual([]);
  });

  it('asks for the names in the text', () => {
    expect(sites.every(({ needs }) => needs?.join(' ') === 'a Z')).toBe(true);
    expect(knobSites(['args.a'], ['b']).every(({ needs }) => needs?.join(' ') === 'b')).toBe(true);
  });

  it('knows a patch, and an environment from elsewhere', () => {
    expect(isWholeContainer(read('{name: a, image: b}'))).toBe(true);
    expect(isWholeContainer(read('{name: a}'))).toBe(false);
    expect(isWholeContainer(read('{name: a, image: b, envFrom: []}'))).toBe(false);
  });
});
