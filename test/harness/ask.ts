import { createHash } from 'node:crypto';

/** Longest wait for an answer with its body, in ms. */
const answerMsMax = 120_000;

/** An answer with its whole body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface Asked {
  readonly json?: unknown;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request. Rejects if the connection breaks, also in the middle of the answer, or if nothing arrives for too
 * long.
 */
export async function ask(method: string, url: string, { json, body, headers = {} }: Asked = {}): Promise<Answer> {
  const sent = json === undefined ? body : JSON.stringify(json);
  const answer = await fetch(url, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(sent !== undefined && { body: sent as NonNullable<RequestInit['body']> }),
    signal: AbortSignal.timeout(answerMsMax),
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Like `ask`; throws unless the answer is a success. Resolves to its JSON, if it has one. */
export async function must(method: string, url: string, asked: Asked = {}): Promise<unknown> {
  const { status, bytes } = await ask(method, url, asked);
  if (status >= 300) throw new Error(`${method} ${url} answered ${status} ${bytes.toString()}`);
  return bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function pick<T>(random: () => number, items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)];
}
