import { fix, insertEntry, renameKey, replaceText } from '../../edits.ts';
import { formatDuration } from '../../durations/format.ts';
import { atLeast, compareVersions, versionOf } from '../../environment.ts';
import { nearest } from '../../format.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { nameSpan } from '../../source.ts';
import {
  defaultMaximum,
  defaultMinimum,
  issuanceWait,
  maximumName,
  minimumName,
} from './backoff.ts';
import {
  controllerBackoff,
  controllerFields,
  effective,
  type ControllerContext,
  type ControllerRule,
} from './controllerFields.ts';
import { flagNames, isFlag } from './controllerSites.ts';
import { goText } from './plannedRenewal.ts';
import { certManager, sources } from './system.ts';

const maximumBelowMinimum: ControllerRule = {
  slug: 'maximum-below-minimum',
  severity: 'error',
  summary: 'The maximum back-off is below the minimum.',
  explanation:
    'The controller checks both when it starts, defaults included, and does not start with a maximum (32h where none is written) below the minimum (1h).',
  cite: sources.configuration,
  *check(context) {
    const { settings, policy, node, tree } = context;
    if (!atLeast(policy.facts.env, certManager, '1.21.0')) return;
    const min = effective(settings[minimumName], defaultMinimum);
    const max = effective(settings[maximumName], defaultMaximum);
    if (min === undefined || max === undefined || min <= 0 || max <= 0 || max >= min) return;
    const isMaxWritten = isWritten(settings[maximumName]);
    const place = isMaxWritten ? maximumName : minimumName;
    const whose = (name: typeof minimumName | typeof maximumName) =>
      isWritten(settings[name]) ? 'the' : 'the default';
    const scalar = context.nodeOf(maximumName);
    const atMinimum = settings[minimumName];
    const inFile = atMinimum.from !== 'document' || !isFlag(atMinimum.at.path);
    const text = goText(min);
    const add =
      node?.kind === 'map' && inFile
        ? fix(
            `Add ${maximumName}: ${text}`,
            false,
            insertEntry(tree, node, maximumName, text, minimumName),
          )
        : [];
    yield {
      message: `The controller does not start: ${whose(maximumName)} maximum of ${formatDuration(max)} is below ${whose(minimumName)} minimum of ${formatDuration(min)}. Write at least ${text} as the maximum`,
      at: context.keyOf(place),
      related:
        isMaxWritten && isWritten(settings[minimumName])
          ? [{ at: context.keyOf(minimumName), message: 'The minimum' }]
          : [],
      fixes:
        scalar?.kind === 'scalar' ? fix(`Write ${text}`, false, replaceText(scalar, text)) : add,
    };
  },
};

const zeroIsDefault: ControllerRule = {
  slug: 'zero-is-default',
  severity: 'warning',
  summary: 'A 0 in the configuration file, which stands for the default.',
  explanation:
    'Settings that are 0 in the configuration file are filled with their defaults before they are used. Only the flag can set 0.',
  cite: sources.defaults,
  *check(context) {
    for (const [name, fallback] of [
      [minimumName, defaultMinimum],
      [maximumName, defaultMaximum],
    ] as const) {
      const setting = context.settings[name];
      const node = context.nodeOf(name);
      if (setting.from !== 'document' || setting.value !== 0 || isFlag(setting.at.path)) continue;
      const text = goText(fallback);
      yield {
        message: `A ${name} of 0 in the configuration file means the default of ${text}, not no wait: write the duration you want`,
        at: context.valueSpanOf(name),
        fixes: node?.kind === 'scalar' ? fix(`Write ${text}`, false, replaceText(node, text)) : [],
      };
    }
  },
};

const noWait: ControllerRule = {
  slug: 'no-back-off',
  severity: 'warning',
  summary: 'A minimum of 0 by flag: failed issuances are tried again at once, without end.',
  explanation:
    'With a minimum of 0 the controller skips the back-off altogether. A Certificate that keeps failing asks its issuer again as fast as the controller works, which soon meets the rate limits of a public CA.',
  cite: sources.trigger,
  *check(context) {
    const setting = context.settings[minimumName];
    const node = context.nodeOf(minimumName);
    if (setting.from !== 'document' || setting.value !== 0 || !isFlag(setting.at.path)) return;
    if (!atLeast(context.policy.facts.env, certManager, '1.20.0')) return;
    yield {
      message:
        'A minimum of 0 turns the back-off off: a failing Certificate asks its issuer again at once, without end, until the issuer refuses. Write a duration, such as 5m',
      at: context.valueSpanOf(minimumName),
      fixes: node?.kind === 'scalar' ? fix('Write 5m', false, replaceText(node, '5m')) : [],
    };
  },
};

const jump: ControllerRule = {
  slug: 'jump-at-seventh-failure',
  severity: 'warning',
  summary: 'cert-manager 1.20 takes the minimum into account for six failures only.',
  explanation:
    'In 1.20 the seventh and all further failures wait 32h whatever the minimum is, and the waits before that have no cap. 1.21 doubles evenly up to `certificateRequestMaximumBackoffDuration`.',
  cite: sources.jump,
  *check(context) {
    const backoff = controllerBackoff(context.policy);
    if (backoff.growth !== 'stepped' || !isWritten(context.settings[minimumName])) return;
    if (backoff.min <= 0 || backoff.min === defaultMinimum) return;
    if (valueOf(context.settings[minimumName]) === undefined) return;
    const { version } = versionOf(context.policy.facts.env, certManager);
    const sixth = formatDuration(issuanceWait(backoff, 6));
    const seventh = formatDuration(issuanceWait(backoff, 7));
    yield {
      message: `cert-manager ${version} waits ${sixth} after the sixth failure and ${seventh} after the seventh, without a cap before: run 1.21 to set the maximum too`,
      at: context.valueSpanOf(minimumName),
    };
  },
};

const keepsMinimum: ControllerRule = {
  slug: 'server-side-apply-keeps-minimum',
  severity: 'warning',
  summary: 'With the ServerSideApply gate the waits do not grow.',
  explanation:
    'With this alpha gate, cert-manager up to 1.21.1 does not store `status.failedIssuanceAttempts`: every failure looks like the first, and every wait is the minimum.',
  cite: sources.serverSideApply,
  *check(context) {
    const setting = context.settings.serverSideApply;
    if (valueOf(setting) !== true) return;
    const backoff = controllerBackoff(context.policy);
    if (backoff.growth !== 'constant' || backoff.min <= 0) return;
    if (!atLeast(context.policy.facts.env, certManager, '1.8.0')) return;
    yield {
      message: `With ServerSideApply the count of failures is not stored, so every wait stays at ${formatDuration(backoff.min)} instead of doubling: turn the gate off`,
      at: context.valueSpanOf('serverSideApply'),
      fixes: gateFix(context),
    };
  },
};

function gateFix(context: ControllerContext) {
  const node = context.nodeOf('serverSideApply');
  return node?.kind === 'scalar' && node.style !== 'block'
    ? fix('Write false', false, replaceText(node, 'false'))
    : [];
}

const tooNew: ControllerRule = {
  slug: 'flag-needs-version',
  severity: 'error',
  summary: 'A flag that the version of the image does not know.',
  explanation:
    'The minimum came with 1.20 and the maximum with 1.21. An older controller ends at once with a flag that it does not know.',
  cite: sources.defaults,
  *check(context) {
    const { tag } = context.policy.facts;
    if (tag === undefined) return;
    for (const [flag, name] of flagNames) {
      const setting = context.settings[name];
      const since = controllerFields[name].since?.version;
      if (setting.from !== 'document' || !isFlag(setting.at.path) || since === undefined) continue;
      if (compareVersions(tag, since) >= 0) continue;
      yield {
        message: `The controller of this image, ${tag}, does not know \`--${flag}\` and does not start: remove the flag, or run ${since}`,
        at: context.keyOf(name),
      };
    }
  },
};

const unknownSetting: ControllerRule = {
  slug: 'unknown-back-off-setting',
  severity: 'error',
  summary: 'A back-off key or flag that the controller does not know.',
  explanation:
    'The configuration file is read strictly and unknown flags are refused: the controller does not start with a misspelt one.',
  cite: sources.strictFile,
  *check({ node }) {
    if (node?.kind !== 'map') return;
    for (const [name, inner] of node.children) {
      const isKey = name.startsWith('certificateRequest') && /backoff/i.test(name);
      const isFlagName = name.startsWith('certificate-request-');
      const at = nameSpan(inner);
      if ((!isKey && !isFlagName) || at === undefined || inner.via !== undefined) continue;
      if (name === minimumName || name === maximumName) continue;
      const names = isKey ? [minimumName, maximumName] : [...flagNames.keys()];
      const meant = /max/i.test(name)
        ? names[1]
        : /min/i.test(name)
          ? names[0]
          : nearest(name, names);
      const dashes = isKey ? '' : '--';
      yield {
        message: `The controller does not know \`${dashes}${name}\` and does not start with it${meant === undefined ? '' : `: write \`${dashes}${meant}\``}`,
        at,
        fixes:
          meant === undefined || node.children.has(flagNames.get(meant) ?? meant)
            ? []
            : fix(`Rename to ${dashes}${meant}`, true, renameKey(inner, meant)),
      };
    }
  },
};

/** Rules on the controller's settings. */
export const controllerRules: readonly ControllerRule[] = [
  maximumBelowMinimum,
  zeroIsDefault,
  noWait,
  jump,
  keepsMinimum,
  tooNew,
  unknownSetting,
];
