import { beforeEach, describe, expect, it, vi } from 'vitest';
import { demoPort } from '../../../client/src/cluster/demoPort.ts';
import type { PortRequest, PortResult } from '../../../client/src/cluster/port.ts';
import type { Consents } from '../../../client/src/live/consent.ts';
import { createHub } from '../../../client/src/live/hub.ts';
import { createLocks } from '../../../client/src/live/locks.ts';
import { createRowCommands } from '../../../client/src/live/rowCommands.ts';
import type { Editing } from '../../../client/src/editing.ts';
import type { ObjectDocuments } from '../../../client/src/live/objectDocument.ts';
import { demoSession } from './samples.ts';

const editor = vi.hoisted(() => ({ asked: [] as string[], errors: [] as string[] }));

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...values: readonly unknown[]) =>
      text.replace(/\{(\d)\}/g, (_match, index: string) => String(values[Number(index)])),
  },
  window: {
    showWarningMessage: (message: string, { detail }: { readonly detail: string }, yes: string) => {
      editor.asked.push(`${message}\n${detail}`);
      return Promise.resolve(yes);
    },
    showErrorMessage: (message: string) => {
      editor.errors.push(message);
      return Promise.resolve(undefined);
    },
  },
}));

beforeEach(() => {
  editor.asked = [];
  editor.errors = [];
});

/** Renews a Certificate of the demo whose object is answered for as told. */
async function renew(answer: (known: unknown) => PortResult) {
  const { session, time } = await demoSession();
  const row = [...session.snapshot().rows.values()].find(
    ({ resource }) => resource.kind === 'Certificate',
  );
  if (row === undefined) throw new Error('the demo has no Certificate');
  const sent: PortRequest[] = [];
  const said: string[] = [];
  const hub = createHub();
  const request = (one: PortRequest): Promise<PortResult> => {
    // A review asks whether one may, and changes nothing.
    const isQuestion = one.method === 'GET' || one.path.includes('/selfsubjectaccessreviews');
    if (!isQuestion) sent.push(one);
    return Promise.resolve(
      one.method === 'GET'
        ? answer(session.object(row.resource))
        : { ok: true, answer: { body: {} } },
    );
  };
  hub.add({ name: 'demo', session, port: { ...demoPort(time.clock), request }, isDemo: true });
  const locks = createLocks();
  locks.set('demo', false);
  vi.spyOn(locks, 'blocked').mockReturnValue(undefined);
  const none = {} as unknown;
  const commands = createRowCommands({
    hub,
    locks,
    documents: none as ObjectDocuments,
    given: none as Consents,
    editing: none as Editing,
    done: (what) => said.push(what),
    show: () => undefined,
  });
  const shown = [...hub.rows().values()].find(({ id }) => id.endsWith(row.key));
  const message = { type: 'action', id: shown?.id ?? '', action: 'cert-manager/renew' } as const;
  await commands.asked(message, { resume: () => undefined, disconnect: () => Promise.resolve() });
  hub.dispose();
  return { sent, said };
}

describe('an action', () => {
  it('is built on the object as it is now', async () => {
    const { sent } = await renew((known) => ({ ok: true, answer: { body: known } }));
    expect(editor.asked).toHaveLength(1);
    expect(sent.map(({ method }) => method)).toEqual(['PATCH']);
  });

  it('is not asked about and not sent where that cannot be read', async () => {
    const { sent, said } = await renew(() => ({
      ok: false,
      failure: { kind: 'server', status: 503, detail: 'the server is down' },
    }));
    expect([sent, editor.asked]).toEqual([[], []]);
    expect(editor.errors).toEqual(said);
    expect(said).toEqual([
      expect.stringMatching(
        /^Nothing was sent: Certificate \S+ cannot be read now: the server is down$/,
      ),
    ]);
  });
});
