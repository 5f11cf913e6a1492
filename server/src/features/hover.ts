import { MarkupKind, type Hover } from 'vscode-languageserver';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { explain } from '../../../engine/explain.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView } from '../../../engine/live.ts';
import { formatPath } from '../../../engine/source.ts';
import { familyUrl } from '../../../engine/reference.ts';
import { describeLive } from '../../../engine/renderLive.ts';
import { renderMarkdown, type MarkdownAbilities } from '../../../engine/renderMarkdown.ts';
import { instant, type Instant } from '../../../engine/units.ts';
import { base64 } from '../base64.ts';
import { pointedAt, type Pointed } from '../atPosition.ts';
import { describeCron } from '../cronRuns.ts';
import type { Feature } from '../feature.ts';
import { locate, rangeIn } from '../lsp.ts';

// Text that many policies share is explained for the first few of them.
const mostExplained = 2;

/** What the policy under the cursor will do, and what the value under the cursor does to it. */
export const hover: Feature = {
  capabilities: () => ({ hoverProvider: true }),
  register: (connection, workspace, { options }) => {
    const abilities: MarkdownAbilities = { html: options.html, images: options.images, base64 };
    connection.onHover(async ({ textDocument, position }): Promise<Hover | null> => {
      const file = await workspace.file(textDocument.uri);
      const found = file === undefined ? undefined : locate(file.analysis, position);
      if (found === undefined) return null;
      const { document, offset } = found;
      const pointed = pointedAt(document.text, workspace.policiesOf(document), offset);
      const [first] = pointed;
      if (first === undefined) return null;
      return {
        contents: { kind: MarkupKind.Markdown, value: hoverText(pointed, abilities) },
        range: rangeIn(document, first.at),
      };
    });
  },
};

function hoverText(pointed: readonly Pointed[], abilities: MarkdownAbilities): string {
  const now = instant(Date.now());
  const shown = pointed.slice(0, mostExplained).map(({ analysed, field }) => {
    const live = liveText(analysed, now);
    return renderMarkdown(explain(analysed, field), abilities, {
      ...(live === undefined ? {} : { now: live }),
      remarks: cronRemarks(analysed, now),
      link: familyUrl(analysed.family.id),
    });
  });
  const others = pointed.slice(mostExplained);
  if (others.length > 0) {
    const names = others
      .slice(0, 5)
      .map(({ analysed }) => `\`${formatPath(analysed.policy.anchor)}\``);
    const more = others.length > 5 ? ` and ${String(others.length - 5)} more` : '';
    shown.push(`This text is also the policy of ${names.join(', ')}${more}.`);
  }
  return shown.join('\n\n---\n\n');
}

/** The schedule of a policy that has one, in words, with its next runs. */
function cronRemarks({ family, policy }: AnalysedPolicy, now: Instant): readonly string[] {
  return Object.entries(family.fields).flatMap(([name, field]) => {
    const setting = policy.settings[name];
    if (field.format.isCron !== true || setting?.from !== 'document') return [];
    const zone = policy.settings['timeZone'];
    const timeZone = zone?.from === 'document' ? zone.text : undefined;
    const runs = describeCron(setting.text, timeZone, new Date(now));
    return runs === undefined ? [] : [runs];
  });
}

/** Where the manifest carries a status, as `kubectl get -o yaml` prints it: what it says. */
export function liveText(
  { family, policy, object }: AnalysedPolicy,
  now: Instant,
): string | undefined {
  if (object === undefined || family.live === undefined) return undefined;
  const states = family.live.read({
    object: jsonTree(object).root,
    ref: policy.resource,
    view: emptyView,
    env: policy.env,
    now,
  });
  const told = states
    .filter(({ state }) => state.kind !== 'idle')
    .slice(0, 3)
    .map(
      ({ part, state }) => `${part === undefined ? '' : `${part}: `}${describeLive(state, now)}`,
    );
  return told.length === 0 ? undefined : told.join('; ');
}
