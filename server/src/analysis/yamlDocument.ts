import type { SourceTree } from '../../../engine/source.ts';
import { readCommonForm } from './commonForm.ts';
import { embeddedTree } from './embedded.ts';
import { hasMergeConflict, type SyntaxProblem } from './syntaxProblems.ts';
import { maskTemplates } from './templates.ts';
import { readAnyForm } from './yamlTree.ts';

/** A document as a tree, with what is wrong with its YAML. */
export type ParsedDocument = {
  readonly tree: SourceTree;
  readonly problems: readonly SyntaxProblem[];
};

/**
 * Parses the text of one YAML document; offsets count UTF-16 code units from its start.
 *
 * Never throws on user input; `undefined` where the text holds no node at all. JSON is YAML, so JSON files come
 * here too.
 */
export function parseYamlDocument(text: string): ParsedDocument | undefined {
  const masked = maskTemplates(text);
  const isManifest = !masked.isTemplate && !hasMergeConflict(text);
  const common = isManifest ? readCommonForm(text) : undefined;
  const read = common === undefined ? readAnyForm(text, masked) : { root: common, problems: [] };
  if (read === undefined) return undefined;
  const tree: SourceTree = {
    root: read.root,
    text,
    embedded: (node) => embeddedTree(text, node, parseYamlDocument),
  };
  return { tree, problems: read.problems };
}
