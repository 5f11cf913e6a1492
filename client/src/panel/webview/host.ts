import { isToPanel, type FromPanel, type ToPanel } from '../model/messages.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

export type Host = {
  readonly tell: (message: FromPanel) => void;
  /** Hears what the host says; what is not understood is dropped. */
  readonly listen: (take: (message: ToPanel) => void) => void;
  readonly recall: () => unknown;
  readonly remember: (state: unknown) => void;
};

/** The way to the extension; it can be asked for once. */
export function connectToHost(): Host {
  const api = acquireVsCodeApi();
  return {
    tell: (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the editor's own, which has no origin
      api.postMessage(message);
    },
    listen: (take) => {
      window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        if (isToPanel(data)) take(data);
      });
    },
    recall: () => api.getState(),
    remember: (state) => {
      api.setState(state);
    },
  };
}
