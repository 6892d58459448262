import { createReadStream } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { FirnProblem, problemOf } from './firn-problem.ts';
import type { Hub } from './open-hub.ts';
import { refusalOf } from './retry.ts';

/** Bytes read from a file at once. */
const readBytes = 1024 * 1024;
/**
 * A connection without a byte for this long is given up, in ms; the last byte of an upload is answered when all of it
 * has been checked.
 */
const idleMaxMs = 10 * 60_000;
/** Most characters of an answer that is read whole. */
const answerLengthMax = 16 * 1024 * 1024;

/** What a request needs of a hub. */
export type Sender = Pick<Hub, 'url' | 'headers' | 'agent'>;

export interface BytesRequest {
  readonly method: string;
  /** Below the hub's origin. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body in memory. */
  readonly body?: Uint8Array;
  /** The body, as part of a file: from `start` to the end. */
  readonly file?: { readonly path: string; readonly start: number; readonly sizeBytes: number };
  readonly signal?: AbortSignal | undefined;
  /** Called with each chunk of the file that is given to the connection. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
}

/**
 * Sends one request through Node's own client, which streams a file at a third of the cost of fetch and is loaded in a
 * quarter of a second less. Follows no redirect. Resolves with an answer of 2xx, whose body the caller reads. Throws
 * `FirnProblem`, `TryAgain`, or an error of the network.
 */
export async function sendBytes(hub: Sender, request: BytesRequest): Promise<IncomingMessage> {
  const answer = await exchange(hub, request);
  if (answer.statusCode! >= 200 && answer.statusCode! < 300) return answer;
  const text = await readText(answer);
  const { location } = answer.headers;
  if (answer.statusCode! < 400 && location !== undefined)
    throw new FirnProblem(answer.statusCode!, { detail: `The server redirects to ${location}: use that address.` });
  const hadToken = 'authorization' in { ...hub.headers, ...request.headers };
  throw refusalOf(problemOf(answer.statusCode!, text, { path: request.path, hadToken }), answer.headers['retry-after']);
}

/** The JSON of an answer. */
export async function readJson<T>(answer: IncomingMessage): Promise<T> {
  return JSON.parse(await readText(answer)) as T;
}

/** The text of an answer. Throws if it is longer than an answer of the API may be. */
export async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > answerLengthMax) throw new Error('The answer of the server is too long.');
  }
  return text;
}

function exchange(
  hub: Sender,
  { method, path, headers, body: whole, file, signal, onBytes }: BytesRequest,
): Promise<IncomingMessage> {
  const url = new URL(hub.url + path);
  const lengthBytes = file === undefined ? whole?.length : file.sizeBytes - file.start;
  const length = lengthBytes === undefined ? {} : { 'content-length': String(lengthBytes) };
  return new Promise((resolve, reject) => {
    const req = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      agent: hub.agent,
      headers: { ...hub.headers, ...headers, ...length },
      ...(signal !== undefined && { signal }),
    });
    // A server that refuses answers before it has the whole body, and what is still sent then fails.
    req.once('response', resolve).once('error', reject);
    req.setTimeout(idleMaxMs, () => req.destroy(networkError('ETIMEDOUT', 'the connection was silent')));
    if (file === undefined || file.start >= file.sizeBytes) return void req.end(whole);
    const body = createReadStream(file.path, { start: file.start, end: file.sizeBytes - 1, highWaterMark: readBytes });
    if (onBytes !== undefined) body.on('data', (chunk) => onBytes(chunk as Buffer));
    pipeline(body, req).catch(reject);
  });
}

function networkError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
