import type { Evidence, LiveInput } from '../../live.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { conditionOf, isTrue } from '../../liveFacts.ts';
import { certificateRequests } from './resources.ts';

const revisionAnnotation = 'cert-manager.io/certificate-revision';

/**
 * The request of the current revision when every retry would fail on it again.
 *
 * Only a request that is `Failed` and has a `failureTime` is deleted before a retry. One that is denied, invalid,
 * or failed without a time stays, and the next attempt ends on it at once.
 */
export function staleRequest(
  { object, ref, view }: LiveInput,
  failures: number | undefined,
): { readonly text: string; readonly seen: readonly Evidence[] } | undefined {
  if (failures === undefined || failures < 2) return undefined;
  const revision = Number(textAt(object, 'status', 'revision') ?? '0') + 1;
  for (const request of view.related(ref, certificateRequests)) {
    const why = whyStale(request);
    const annotations = nodeAt(request, ['metadata', 'annotations']);
    if (why === undefined || textAt(annotations, revisionAnnotation) !== String(revision)) continue;
    const name = textAt(request, 'metadata', 'name') ?? '';
    return {
      text: `the CertificateRequest ${name} ${why}, so it may be found again by every retry, which then fails at once: delete it first`,
      seen: [
        {
          object: {
            apiVersion: textAt(request, 'apiVersion') ?? '',
            kind: 'CertificateRequest',
            ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
            name,
          },
          path: 'status',
          value: why,
        },
      ],
    };
  }
  return undefined;
}

function whyStale(request: SourceNode): string | undefined {
  if (isTrue(conditionOf(request, 'Denied'))) return 'is denied';
  if (isTrue(conditionOf(request, 'InvalidRequest'))) return 'is invalid';
  const ready = conditionOf(request, 'Ready');
  const failed = textAt(ready, 'reason') === 'Failed' && textAt(ready, 'status') === 'False';
  const time = child(child(request, 'status'), 'failureTime');
  return failed && time === undefined ? 'failed without a failureTime' : undefined;
}
