import { describe, expect, it } from 'vitest';
import {
  atLeast,
  compareVersions,
  emptyEnvironment,
  fixedIn,
  isVersion,
  versionOf,
  type Environment,
  type System,
} from '../../../engine/environment.ts';
import { defaultInTemplate, isRunTimeText } from '../../../engine/runTimeText.ts';

const system: System = {
  id: 'sys',
  title: 'System',
  assumes: { system: 'sys', versions: '2.0', source: 'x', version: '2.0.0' },
};
const running = (version: string): Environment => ({
  ...emptyEnvironment,
  versions: new Map([['sys', version]]),
});

describe('versions', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.36', '1.36.0', 0],
    ['v3.7.9', '3.7.10', -1],
    ['3.10.0', '3.9.9', 1],
    ['1.2.3-rc1', '1.2.3', -1],
    ['1.2.3-rc1', '1.2.2', 1],
    ['1.29.4-gke.100', '1.29.4', 0],
    ['v1.30.0-eks-036c24b', '1.30.0', 0],
    ['1.30.1+k3s1', '1.30.1', 0],
    ['latest', '1.0.0', 0],
  ])('%s against %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
    expect(Math.sign(compareVersions(b, a))).toBe(sign === 0 ? 0 : -sign);
  });

  it.each([
    ['3.7.9', true],
    ['3.7.8', false],
    ['3.7.9-rc1', false],
    ['3.6.18', true],
    ['3.6.17', false],
    ['3.5.99', false],
    ['4.0.0', false],
    ['4.0.1', true],
    ['4.1.0', true],
    ['5.0.0', true],
  ])('%s has a fix released on three branches: %s', (version, expected) => {
    expect(fixedIn(version, ['3.6.18', '3.7.9', '4.0.1'])).toBe(expected);
  });

  it('takes the stated version, or the one that was read', () => {
    expect(versionOf(running('1.5.0'), system)).toEqual({ version: '1.5.0', from: 'stated' });
    expect(versionOf(running('latest'), system)).toEqual({ version: '2.0.0', from: 'assumed' });
    expect(versionOf(emptyEnvironment, system)).toEqual({ version: '2.0.0', from: 'assumed' });
    const detected = new Map([[system.id, '1.6.0']]);
    expect(versionOf({ ...emptyEnvironment, detected }, system)).toEqual({
      version: '1.6.0',
      from: 'detected',
    });
    expect(versionOf({ ...running('1.5.0'), detected }, system).from).toBe('stated');
    expect(atLeast(running('1.5.0'), system, '1.5')).toBe(true);
    expect(atLeast(running('1.4.9'), system, '1.5')).toBe(false);
    expect(atLeast(emptyEnvironment, system, '2.0.1')).toBe(false);
  });

  it.each([
    ['1.2', true],
    ['v1.2.3', true],
    [' 1.2.3 ', true],
    ['3.5.1-alpine', true],
    ['1', false],
    ['latest', false],
    ['1.2.x', false],
    ['', false],
  ])('%j is a version: %s', (text, expected) => {
    expect(isVersion(text)).toBe(expected);
  });
});

describe('texts that are filled in later', () => {
  it.each([
    '{{inputs.parameters.x}}',
    '{{ .Values.x }}',
    'a {{x}} b',
    '$(VAR)',
    'x$(my.config-map)y',
    '${VAR}',
    '${VAR:-5}',
    '<%= x %>',
    '<<x>>',
    '{{\n x }}',
    '<seconds>',
    '<retry limit>',
    '__LIMIT__',
    '@limit@',
    '%LIMIT%',
    '((limit))',
    '(( grab meta.limit ))',
    '#{limit}#',
    '#@ data.values.limit',
  ])('%j is one', (text) => {
    expect(isRunTimeText(text)).toBe(true);
  });

  it.each([
    '5m',
    '$5',
    '{{',
    '}} {{',
    '$( )',
    '$(a b)',
    '${}',
    '{ {x} }',
    '$VAR',
    '<< x >>',
    '',
    '%> <%',
    '<>',
    'a < b > c',
    '____',
    '5%',
    '(a)',
    'a@b@c',
    '#@',
  ])('%j is none', (text) => {
    expect(isRunTimeText(text)).toBe(false);
  });

  it.each([
    ['{{ .Values.n | default 3 }}', '3'],
    ['{{- .Values.n | default 3 -}}', '3'],
    [' {{ .Values.n | default 3 }} ', '3'],
    ['{{ .Values.n | default -1 }}', '-1'],
    ['{{ .Values.n | default "5m" | quote }}', '5m'],
    ['{{ .Values.n | default `x` }}', 'x'],
    ['{{ .Values.n | default 3 | int }}', '3'],
    ['{{ default 3 .Values.n }}', '3'],
    ['{{ default "a" .Values.n | quote }}', 'a'],
    ['{{ default 3 $n }}', '3'],
    ['${n:=3}', '3'],
    ['${n:-5m}', '5m'],
    ['${n-5}', '5'],
    ['${n}', undefined],
    ['{{ .Values.n }}', undefined],
    ['{{ .Values.a | default .Values.b }}', undefined],
    ['{{ default .Values.b .Values.a }}', undefined],
    ['{{ .Values.n | default 3 | upper }}', undefined],
    ['x{{ .Values.n | default 3 }}', undefined],
    ['5m', undefined],
  ])('%j names its default: %s', (text, expected) => {
    expect(defaultInTemplate(text)).toBe(expected);
  });

  // What walks a text of this length once for each of its characters takes minutes: it ends by the test's timeout.
  it('ends for texts of any length', () => {
    for (const part of [
      '{{',
      '<%',
      '${',
      '$(',
      '<<',
      '{{ ',
      '${a:-',
      '{{ default ',
      '| default ',
    ]) {
      const text = part.repeat(100_000);
      expect(isRunTimeText(text)).toBeTypeOf('boolean');
      expect(defaultInTemplate(text)).toBeUndefined();
    }
    expect(defaultInTemplate(`{{${' '.repeat(200_000)}`)).toBeUndefined();
    expect(defaultInTemplate(`{{ ${'| '.repeat(100_000)} }}`)).toBeUndefined();
  });
});
