import { isWholeContainer } from '../../containerKnobs.ts';
import { compareVersions, isVersion, versionOf, type Environment } from '../../environment.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import type { RateFields } from './reconcileRate.family.ts';
import { rateGone, system, sources } from './system.ts';

/** The flag of Crossplane itself means something else by version; providers bring a meaning of their own. */
export const rateMeaning: Rule<RateFields> = defineRule({
  slug: 'reconcile-rate-meaning',
  severity: 'info',
  summary: 'What `--max-reconcile-rate` of Crossplane itself limits, by version.',
  explanation:
    'Up to Crossplane 2.0 the number is two limits in one: so many reconciles a second over all objects, and so many at the same time. ' +
    'Since 2.1 the flag is only another name of `--max-concurrent-reconciles`: nothing limits the rate any more. ' +
    'It is said where the version is known, or the image has it as its tag. Providers have a flag of this name with a meaning of their own.',
  cite: sources.flag,
  about: ['rate'],
  *check(context: PolicyContext<RateFields>) {
    const rate = valueOf(context.settings.rate);
    const container = containerOf(context);
    const version = container === undefined ? undefined : versionAt(container, context.env);
    if (rate === undefined || version === undefined) return;
    const count = String(rate);
    yield {
      message:
        compareVersions(version, rateGone) >= 0
          ? `No rate is limited: since Crossplane ${rateGone} \`max-reconcile-rate\` only means that ${count} objects of a kind are reconciled at the same time; write its name of today, \`--max-concurrent-reconciles\``
          : `\`max-reconcile-rate\` is two limits here, ${count} reconciles a second over all objects and ${count} at the same time; from Crossplane ${rateGone} on only the second is left`,
      at: context.keyOf('rate'),
    };
  },
});

/** The container of Crossplane itself, by what it is told to do. */
function containerOf({ policy, root }: PolicyContext<RateFields>): SourceNode | undefined {
  const container = nodeAt(root, policy.anchor);
  if (!isWholeContainer(container)) return undefined;
  const words = ['command', 'args'].flatMap((list) =>
    itemsOf(child(container, list)).map((item) => (item.kind === 'scalar' ? item.text : '')),
  );
  const start = words.indexOf('start');
  return start > 0 && ['core', 'rbac'].includes(words[start - 1] ?? '') ? container : undefined;
}

/** The version that is known to run: stated, seen in the cluster, or the image's tag. */
function versionAt(container: SourceNode, env: Environment): string | undefined {
  const { version, from } = versionOf(env, system);
  if (from !== 'assumed') return version;
  const tag = /:([^:/@]+)(?:@.*)?$/.exec(textAt(container, 'image') ?? '')?.[1];
  return tag !== undefined && isVersion(tag) ? tag : undefined;
}
