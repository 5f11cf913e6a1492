import type { ContextLine } from './messages.ts';

/** What stands in the place of rows: why there is none, and no more than is known. */
export function emptyText(contexts: readonly ContextLine[], rows: number): string {
  if (contexts.length === 0) return 'Not connected. Connect to a context in the Kube Backoff view.';
  if (rows > 0) return 'No row passes the filters. Clear them to see all.';
  return (
    unansweredText(contexts) ??
    unseenText(contexts) ??
    `Nothing is backing off. ${idleSentence(contexts)}`
  );
}

/** `12 policies idle`: an object can have several, and one that is idle may be healthy, finished or not begun. */
export const idleText = (idle: number): string =>
  `${String(idle)} ${idle === 1 ? 'policy' : 'policies'} idle`;

const idleSentence = (contexts: readonly ContextLine[]): string =>
  `${idleText(contexts.reduce((sum, { idle }) => sum + idle, 0))}: healthy, finished or not started.`;

/** Where a connection does not stand, nothing is known of now. */
function unansweredText(contexts: readonly ContextLine[]): string | undefined {
  const named = (state: ContextLine['state']): string =>
    contexts
      .filter((line) => line.state === state)
      .map(({ name }) => name)
      .join(', ');
  const signedOut = named('unauthorised');
  if (signedOut !== '')
    return `Signed out of ${signedOut}: what backs off there is not known. Sign in, then connect again above.`;
  const stopped = named('stopped');
  if (stopped !== '')
    return `Stopped reading ${stopped}: what backs off there is not known. The line above says why.`;
  const lost = named('reconnecting');
  if (lost !== '')
    return `The connection to ${lost} is lost: what backs off there now is not known. It is tried again by itself.`;
  return contexts.every(({ isComplete }) => isComplete) ? undefined : 'Reading the cluster …';
}

/** What may not or could not be looked at is not called well. */
function unseenText(contexts: readonly ContextLine[]): string | undefined {
  const why = new Set(contexts.flatMap(({ unseen }) => unseen.map((one) => one.why)));
  const isAnyListed = contexts.some(({ listed }) => listed > 0);
  if (why.has('failed') || why.has('stale'))
    return isAnyListed
      ? `Nothing is backing off in what could be read. ${idleSentence(contexts)} The line above says what could not be read.`
      : 'Nothing could be read, so nothing is known. The line above says why.';
  if (why.has('forbidden'))
    return isAnyListed
      ? `Nothing is backing off in what you may list. ${idleSentence(contexts)} The rest is forbidden to you and not known.`
      : 'Forbidden here: you may list nothing that can back off, so nothing is known. The line above has the roles that would show it.';
  return isAnyListed
    ? undefined
    : 'Nothing to look at: none of the resources that Kube Backoff reads is served here.';
}
