import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** An answer outside 2xx, with the hub's problem document. */
export class HubProblem extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}: ${message}`);
    this.name = 'HubProblem';
    this.status = status;
    this.code = code;
  }
}

/** Bytes read from a file at once: a web stream costs per piece. */
const uploadPieceBytes = 1024 * 1024;

/** The calls that the demo makes, over plain fetch, like any HTTP client. */
export class HubClient {
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  async get<T>(path: string): Promise<T> {
    return (await this.request('GET', path)).json() as Promise<T>;
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await this.request('POST', path, init);
    return (await answer.json().catch(() => undefined)) as T;
  }

  /** Uploads a file; an error names it. */
  async putFile(path: string, file: string): Promise<void> {
    const { size } = await stat(file);
    const body = Readable.toWeb(
      createReadStream(file, { highWaterMark: uploadPieceBytes }),
    ) as ReadableStream<Uint8Array>;
    const answer = await this.request('PUT', path, {
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    }).catch((error: unknown) => {
      throw error instanceof HubProblem ? new Error(`${basename(file)}: ${error.message}`, { cause: error }) : error;
    });
    await answer.arrayBuffer();
  }

  /** Saves a body; resolves to its sha256 (hex) and the digest the hub announced for it. */
  async download(
    path: string,
    to: string,
  ): Promise<{ sha256: string; announced: string | undefined; sizeBytes: number }> {
    const answer = await this.request('GET', path);
    const digest = createHash('sha256');
    let sizeBytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of answer.body!) {
        digest.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(to));
    const announced = /sha-256=:([^:]+):/.exec(answer.headers.get('repr-digest') ?? '')?.[1];
    return {
      sha256: digest.digest('hex'),
      announced: announced === undefined ? undefined : Buffer.from(announced, 'base64').toString('hex'),
      sizeBytes,
    };
  }

  /** Server-sent events of a path until the hub ends the stream. */
  async *events(path: string): AsyncGenerator<{ event: string; data: unknown }> {
    const answer = await this.request('GET', path, { headers: { accept: 'text/event-stream' } });
    let pending = '';
    for await (const chunk of textOf(answer.body!)) {
      pending += chunk;
      const parts = pending.split('\n\n');
      pending = parts.pop()!;
      for (const part of parts) {
        const event = /^event: ?(.*)$/m.exec(part)?.[1] ?? 'message';
        const data = /^data: ?(.*)$/m.exec(part)?.[1];
        if (data !== undefined) yield { event, data: JSON.parse(data) };
      }
    }
  }

  private async request(method: string, path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
    const answer = await fetch(this.base + path, { ...init, method } as RequestInit);
    if (answer.ok) return answer;
    const problem = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string; title?: string };
    throw new HubProblem(
      answer.status,
      problem.code ?? 'unknown',
      problem.detail ?? problem.title ?? answer.statusText,
    );
  }
}

async function* textOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
}
