import type { IncomingMessage } from 'node:http';
import type { Hub } from '../open-hub.ts';
import { sendBytes } from '../send-bytes.ts';

export interface RangeRequest {
  readonly path: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The ETag of the file that the range belongs to; another file is refused. */
  readonly etag: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a byte range of a download. Throws as `sendBytes`, and if the server answers with something else. */
export async function fetchRange(hub: Hub, { path, start, end, etag, signal }: RangeRequest): Promise<IncomingMessage> {
  const headers = { range: `bytes=${start}-${end - 1}`, ...(etag !== undefined && { 'if-match': etag }) };
  const answer = await sendBytes(hub, { method: 'GET', path, headers, signal });
  if (answer.statusCode === 206 && answer.headers['content-range']?.startsWith(`bytes ${start}-${end - 1}/`) === true)
    return answer;
  answer.destroy();
  throw new Error(`The server did not answer with bytes ${start} to ${end - 1}.`);
}

/** A byte range in memory. */
export async function readRange(hub: Hub, request: RangeRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await fetchRange(hub, request)) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== request.end - request.start) throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' });
  return bytes;
}
