import type { Context } from 'hono';
import type { AppEnv, HttpLog } from '../app-env.ts';
import type { OpenedFile } from '../../restore/downloads.ts';
import { sendFile } from './send-file.ts';

export interface SendableView<File extends OpenedFile> {
  /** Strong, quotes included. */
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>> | ((file: File) => Readonly<Record<string, string>>);
  readonly open: () => Promise<File>;
}

/** Like sendFile, for bytes whose length is known only after opening. Opened once, also for HEAD. */
export async function sendView<File extends OpenedFile>(
  c: Context<AppEnv>,
  view: SendableView<File>,
  log: HttpLog,
): Promise<Response> {
  const opened = await view.open();
  let handedOver = false;
  try {
    const headers = typeof view.headers === 'function' ? view.headers(opened) : view.headers;
    const open = async (): Promise<OpenedFile> => {
      handedOver = true;
      return opened;
    };
    return await sendFile(c, { etag: view.etag, sizeBytes: opened.sizeBytes, headers, open }, log);
  } finally {
    if (!handedOver) await opened.close();
  }
}
