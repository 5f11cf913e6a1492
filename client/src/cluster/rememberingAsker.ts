import type { Asker } from './asker.ts';
import type { PortResult } from './port.ts';

/** The answers there are already, by what was asked. */
export type Answers = Map<string, Promise<PortResult>>;

/** Asks for nothing twice that was answered once; what failed is asked for again. */
export function rememberingAsker(ask: Asker, answers: Answers): Asker {
  const once = async (key: string, send: () => Promise<PortResult>): Promise<PortResult> => {
    const asked = answers.get(key) ?? send();
    answers.set(key, asked);
    const result = await asked;
    if (!result.ok && answers.get(key) === asked) answers.delete(key);
    return result;
  };
  return {
    get: (path, query) => once(JSON.stringify([path, query]), () => ask.get(path, query)),
    post: (path, body) => once(JSON.stringify([path, body]), () => ask.post(path, body)),
  };
}
