import { NoticeListeners, type Notices } from './notices.ts';

/** Notices within a single process. */
export function localNotices(): Notices {
  const listeners = new NoticeListeners();
  return {
    publish: (channel, body) => listeners.call(channel, body),
    subscribe: (channel, listener) => listeners.add(channel, listener),
    close: async () => undefined,
  };
}
