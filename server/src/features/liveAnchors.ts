import type { Range } from 'vscode-languageserver';
import { resourceRef, resourcesIn } from '../../../engine/analyse.ts';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { settingText } from '../../../engine/explain.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { valueOf } from '../../../engine/setting.ts';
import {
  formatPath,
  nodeAt,
  textAt,
  wholeSpan,
  type Path,
  type SourceNode,
} from '../../../engine/source.ts';
import type { FileDocument } from '../analysis/file.ts';
import { parseYamlDocument } from '../analysis/yamlDocument.ts';
import type { Feature } from '../feature.ts';
import { rangeIn } from '../lsp.ts';

/** One setting of a policy, so that it can be compared with the live object's. */
export type AnchoredSetting = {
  readonly name: string;
  readonly text: string;
  /** The value as JSON; absent where it is not known before run time. */
  readonly value?: string;
};

export type AnchoredPolicy = {
  readonly family: string;
  readonly anchor: string;
  /** The names of the templates, containers and the like that the anchor leads through. */
  readonly names: readonly string[];
  /** The line that opens the policy. */
  readonly at: Range;
  /** The whole block; the line alone where the policy is implied. */
  readonly block: Range;
  readonly settings: readonly AnchoredSetting[];
};

/** A manifest's object and where it stands, for what is shown beside it of the cluster. */
export type AnchoredResource = {
  readonly resource: ResourceRef;
  /** Set where the cluster makes up the end of the name. */
  readonly generateName?: string;
  /** The lines that say which object it is: its kind and its name. */
  readonly at: readonly Range[];
  readonly range: Range;
  readonly policies: readonly AnchoredPolicy[];
};

/** Answers our own client's question which objects and policies stand where in a file. */
export const liveAnchors: Feature = {
  capabilities: () => ({}),
  register: (connection, workspace) => {
    connection.onRequest(
      'kubeBackoff/liveAnchors',
      async ({ uri }: { readonly uri: string }): Promise<readonly AnchoredResource[] | null> => {
        const file = await workspace.analysedFile(uri);
        return file === undefined
          ? null
          : file.analysis.documents.flatMap((document) =>
              resourcesOf(document, workspace.policiesOf(document)),
            );
      },
    );
  },
};

function resourcesOf(
  document: FileDocument,
  policies: readonly AnalysedPolicy[],
): readonly AnchoredResource[] {
  if (!/\bkind["']?\s*:/.test(document.text)) return [];
  const root = parseYamlDocument(document.text)?.tree.root;
  if (root === undefined) return [];
  return [...resourcesIn(root)].map((node) => anchored(document, node, policies));
}

function anchored(
  document: FileDocument,
  node: SourceNode,
  policies: readonly AnalysedPolicy[],
): AnchoredResource {
  const resource = resourceRef(node);
  const whole = wholeSpan(node) ?? { start: 0, end: document.text.length };
  const heads = [
    nodeAt(node, ['kind']),
    nodeAt(node, ['metadata', 'name']) ?? nodeAt(node, ['metadata', 'generateName']),
  ];
  const generateName = textAt(node, 'metadata', 'generateName');
  const isFixed = textAt(node, 'metadata', 'name') !== undefined;
  return {
    resource,
    ...(generateName === undefined || isFixed ? {} : { generateName }),
    at: heads.flatMap((head) => {
      const span = head === undefined ? undefined : wholeSpan(head);
      return span === undefined ? [] : [rangeIn(document, span)];
    }),
    range: rangeIn(document, whole),
    policies: policies
      .filter(({ policy }) => isSame(policy.resource, resource))
      .map((one) => policyAt(document, node, one)),
  };
}

const isSame = (a: ResourceRef, b: ResourceRef): boolean =>
  a.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.name === b.name &&
  a.namespace === b.namespace;

function policyAt(
  document: FileDocument,
  root: SourceNode,
  { policy }: AnalysedPolicy,
): AnchoredPolicy {
  const at = policy.key ?? policy.span ?? { start: 0, end: 0 };
  return {
    family: policy.family,
    anchor: formatPath(policy.anchor),
    names: namesAlong(root, policy.anchor),
    at: rangeIn(document, at),
    block: rangeIn(document, policy.span ?? at),
    settings: Object.entries(policy.settings).flatMap(([name, setting]) => {
      // What another object gives is no part of what this one asks for.
      if (setting.from === 'default' && setting.by !== undefined) return [];
      const value = valueOf(setting);
      return [
        {
          name,
          text: settingText(setting),
          ...(value === undefined ? {} : { value: plain(value) }),
        },
      ];
    }),
  };
}

/** Whole numbers beyond what JSON holds are written as texts. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));

function namesAlong(root: SourceNode, path: Path): readonly string[] {
  return path.flatMap((_, index) => textAt(nodeAt(root, path.slice(0, index + 1)), 'name') ?? []);
}
