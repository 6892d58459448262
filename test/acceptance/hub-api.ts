import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { ask, sha256, type Answer, type Asked } from '../harness/ask.ts';

export { sha256, type Answer };

/** JSON of the API as tests read it; a key that is missing or of another type fails the test that looks at it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface HubEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Json;
}

/** Longest wait for any answer or event stream, in ms. */
const answerDeadlineMs = 55_000;

/** Plain fetch against one hub. Paths start at the origin. */
export class HubApi {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  ask(method: string, path: string, asked?: Asked): Promise<Answer> {
    return ask(method, this.url + path, asked);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('GET', path, { headers });
  }

  put(path: string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('PUT', path, { body, headers });
  }

  post(path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('POST', path, { ...(json !== undefined && { json }), headers });
  }

  /** The JSON of a GET, which must be answered with 2xx. */
  async read(path: string): Promise<Json> {
    return readJson(await this.get(path), 200);
  }

  /** Every event of a checkpoint until the hub ends the stream. */
  async events(checkpoint: string, headers: Readonly<Record<string, string>> = {}): Promise<HubEvent[]> {
    const events: HubEvent[] = [];
    for await (const event of this.follow(checkpoint, headers)) events.push(event);
    return events;
  }

  /** The events of a checkpoint as they arrive. */
  async *follow(checkpoint: string, headers: Readonly<Record<string, string>> = {}): AsyncGenerator<HubEvent> {
    const res = await fetch(`${this.url}${checkpoint}/events`, {
      headers,
      signal: AbortSignal.timeout(answerDeadlineMs),
    });
    expect(res.status).toBe(200);
    expect(res.headers.get('content-type')).toMatch(/^text\/event-stream/);
    let pending = '';
    const decoder = new TextDecoder();
    for await (const chunk of res.body!) {
      const parts = (pending + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
      pending = parts.pop()!;
      yield* parts.filter((part) => !part.startsWith(':')).map(parseEvent);
    }
  }

  /** Follows a checkpoint to its end and returns its status. */
  async settled(checkpoint: string): Promise<Json> {
    await this.events(checkpoint);
    return this.read(checkpoint);
  }

  /** Like `settled`; fails the test with the reason if the state is not `ready`. */
  async ready(checkpoint: string): Promise<Json> {
    const status = await this.settled(checkpoint);
    expect(status.state, JSON.stringify(status.error)).toBe('ready');
    return status;
  }
}

function parseEvent(part: string): HubEvent {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1];
  return { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(field('data') ?? 'null') };
}

/** The JSON of an answer that must have this status. */
export function readJson(answer: Answer, status: number): Json {
  expect(answer.status, answer.bytes.toString()).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  return JSON.parse(answer.bytes.toString());
}

/** A Repr-Digest field value (RFC 9530). */
export function digestField(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

export function etagOf(answer: Answer): string {
  const etag = answer.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[^"]+"$/);
  return etag;
}
