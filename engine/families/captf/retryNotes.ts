import { parseGoDuration } from '../../durations/go.ts';
import type { LiveInput, ResourceRef, ResourceType } from '../../live.ts';
import { textAt, type SourceNode } from '../../source.ts';
import { parseInstant, type Instant, type Ms } from '../../units.ts';

/** What the controller itself said of the next Job, in the event about a failed one. */
export type RetryNote = {
  readonly job: string;
  readonly event: ResourceRef;
  readonly text: string;
  readonly says:
    | {
        readonly kind: 'waits';
        readonly notBefore: Instant;
        readonly backoff: Ms;
        readonly failures: number;
      }
    | { readonly kind: 'remediation-cap'; readonly failures: number };
};

export const eventType: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
};

/** The notes in the object's events, by the name of the Job that they are about. */
export function retryNotesOf({ ref, view }: LiveInput): ReadonlyMap<string, RetryNote> {
  const notes = new Map<string, RetryNote>();
  for (const node of view.related(ref, eventType)) {
    const note = readNote(node);
    if (note !== undefined) notes.set(note.job, note);
  }
  return notes;
}

function readNote(node: SourceNode): RetryNote | undefined {
  const text = textAt(node, 'note') ?? textAt(node, 'message');
  if (text === undefined) return undefined;
  const job = jobIn(text);
  const says = parseRetryNote(text);
  if (job === undefined || says === undefined) return undefined;
  const name = textAt(node, 'metadata', 'name');
  const namespace = textAt(node, 'metadata', 'namespace');
  return {
    job,
    text,
    says,
    event: {
      apiVersion: textAt(node, 'apiVersion') ?? 'events.k8s.io/v1',
      kind: 'Event',
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    },
  };
}

const marker = '; next attempt not before ';

/** Reads `…; next attempt not before 2026-10-01T10:04:00Z (backoff 2m0s after 2 consecutive failures)`. */
export function parseRetryNote(text: string): RetryNote['says'] | undefined {
  const cap = /; (\d{1,6}) drift remediations failed, so none runs again/.exec(text);
  if (cap !== null) return { kind: 'remediation-cap', failures: Number(cap[1]) };
  const start = text.indexOf(marker);
  if (start === -1) return undefined;
  const rest = text.slice(start + marker.length);
  const match = /^(\S+) \(backoff (\S+) after (\d{1,6}) (?:consecutive )?failures?\)/.exec(rest);
  const notBefore = parseInstant(match?.[1]);
  const backoff = parseGoDuration(match?.[2] ?? '');
  if (match === null || notBefore === undefined || !backoff.ok) return undefined;
  return { kind: 'waits', notBefore, backoff: backoff.value, failures: Number(match[3]) };
}

/** The first Job that a text names: `apply Job captf-c-prod-apply-a2-0f1e2d exceeded …`. */
const jobIn = (text: string): string | undefined =>
  /\bJob ([a-z0-9][a-z0-9.-]*)/.exec(text)?.[1]?.replace(/\.$/, '');
