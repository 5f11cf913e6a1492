import type { ScalarNode } from '../../../engine/source.ts';

/** What a parser says of a scalar; the failsafe schema leaves its value a text. */
export type WrittenScalar = {
  readonly value: unknown;
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
  readonly source?: string | undefined;
};

/** What Kubernetes' decoders read; a template's own text where it was masked. */
export function plainValue(
  scalar: WrittenScalar,
  unmasked: string | undefined,
): ScalarNode['value'] {
  if (unmasked !== undefined) return unmasked;
  const { value, type, tag, source = '' } = scalar;
  const text = typeof value === 'string' ? value : '';
  if (type !== 'PLAIN') return text;
  // `!!str 5` is a text, whatever it looks like.
  if (tag !== undefined)
    return tag === 'tag:yaml.org,2002:str' ? text : (coreValue(source) ?? text);
  const older = olderValue(scalar);
  if (older !== undefined) return older;
  const core = coreValue(source);
  return core === undefined ? text : core;
}

/**
 * What the core schema of YAML 1.2 makes of a plain scalar; undefined where it stays a text.
 *
 * Source: YAML 1.2.2, 10.3.2 Tag Resolution.
 */
function coreValue(source: string): ScalarNode['value'] | undefined {
  switch (source) {
    case '':
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
  }
  if (!/^[-+.\d]/.test(source)) return undefined;
  if (/^[-+]?\d+$/.test(source)) {
    const value = Number(source);
    return Number.isSafeInteger(value) ? value : BigInt(source.replace('+', ''));
  }
  if (/^0o[0-7]+$/.test(source)) return Number.parseInt(source.slice(2), 8);
  if (/^0x[\da-fA-F]+$/.test(source)) return Number(source);
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source)) return Number(source);
  return undefined;
}

const yes = /^(?:y|Y|yes|Yes|YES|on|On|ON)$/;
const no = /^(?:n|N|no|No|NO|off|Off|OFF)$/;

/**
 * The value of a bare word or number that means something else in YAML 1.1 than in the core schema.
 *
 * kubectl, Helm and Argo CD read manifests by the older rules: `yes` is true, `010` is 8, `1_000` is 1000.
 *
 * Source: sigs.k8s.io/yaml goyaml.v2 resolve.go resolve.
 */
function olderValue({ source = '', type, tag }: WrittenScalar): boolean | number | undefined {
  if (type !== 'PLAIN' || tag !== undefined) return undefined;
  if (yes.test(source)) return true;
  if (no.test(source)) return false;
  if (!/^[+-]?\d[\d_a-fA-FxX]*$/.test(source)) return undefined;
  const bare = source.replaceAll('_', '');
  const [, sign = '', octal, binary] = /^([+-]?)0(?:([0-7]+)|b([01]+))$/.exec(bare) ?? [];
  const digits = octal ?? binary;
  if (digits !== undefined) {
    const size = Number.parseInt(digits, octal === undefined ? 2 : 8);
    return sign === '-' ? -size : size;
  }
  return bare !== source && /^[+-]?(?:\d+|0[xX][\da-fA-F]+)$/.test(bare) ? Number(bare) : undefined;
}
