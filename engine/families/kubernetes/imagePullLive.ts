import {
  inferred,
  unknown,
  type LiveBackoff,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import { textAt } from '../../source.ts';
import { minutes, seconds } from '../../units.ts';
import { evidenceAt } from '../../liveFacts.ts';
import { containerStatuses, podRef, podType } from './podLive.ts';

const pulling = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const hopeless: ReadonlyMap<string, string> = new Map([
  ['InvalidImageName', 'the name of the image cannot be read'],
  [
    'ErrImageNeverPull',
    'the node does not have the image, and `imagePullPolicy: Never` forbids to pull it',
  ],
]);

/** `Back-off pulling image "x:1": ErrImagePull: manifest unknown` → `manifest unknown`. */
function causeIn(message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  const start = message.indexOf('": ');
  const isBackOff = message.startsWith('Back-off pulling image');
  if (isBackOff) return start === -1 ? undefined : message.slice(start + 3).replace(/^\w+: /, '');
  return message;
}

/** Containers whose image cannot be pulled. The API has neither the count nor the time. */
export const imagePullLive: LiveReader = {
  reads: [podType],
  alsoNeeds: [],
  read: ({ object }) =>
    containerStatuses(object).flatMap(({ status, path }): readonly LiveState[] => {
      const reason = textAt(status, 'state', 'waiting', 'reason');
      if (reason === undefined) return [];
      const part = textAt(status, 'name') ?? String(path.at(-1) ?? '');
      const ref = podRef(object);
      const seen = [
        ...evidenceAt(ref, object, [...path, 'state', 'waiting', 'reason']),
        ...evidenceAt(ref, object, [...path, 'state', 'waiting', 'message']),
        ...evidenceAt(ref, object, [...path, 'image']),
      ];
      const why = hopeless.get(reason);
      const image = textAt(status, 'image') ?? 'the image';
      if (why !== undefined) {
        const state: LiveBackoff = {
          kind: 'attempting',
          retry: unknown('the API does not count them'),
          failures: unknown('the API does not count them'),
          reason: `${reason}: ${why}; the kubelet looks again every few seconds, and only a change of the pod helps`,
          seen,
        };
        return [{ part, state }];
      }
      if (!pulling.has(reason)) return [];
      const cause = causeIn(textAt(status, 'state', 'waiting', 'message'));
      const state: LiveBackoff = {
        kind: 'waiting',
        retry: unknown('the API does not count pulls; events do for an hour'),
        failures: unknown('the API does not count pulls; events do for an hour'),
        wait: inferred(
          { lo: seconds(10), hi: minutes(5) },
          'the waits of the kubelet: 10s, doubling to 5m',
        ),
        lastFailureAt: unknown('only the events of the pod have the time of the last pull'),
        next: unknown('only the events of the pod have the time of the last pull'),
        capped: unknown('the API does not count pulls'),
        reason: `${image} cannot be pulled${cause === undefined || cause === '' ? '' : ` (${cause.slice(0, 200)})`}; the next pull comes within 5m, without end, and a new pod resets the wait`,
        seen,
      };
      return [{ part, state }];
    }),
};
