import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer, Call } from '../http-client.test-support.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One line of a commit. */
export type Line = { readonly key: string; readonly value: object };

export function header(summary = 'a commit', more: object = {}): Line {
  return { key: 'header', value: { summary, description: '', ...more } };
}

export function file(path: string, content: string | Uint8Array): Line {
  return { key: 'file', value: { path, encoding: 'base64', content: Buffer.from(content).toString('base64') } };
}

export function lfsFile(path: string, bytes: Uint8Array): Line {
  return { key: 'lfsFile', value: { path, algo: 'sha256', oid: sha256(bytes), size: bytes.length } };
}

export function ndjson(lines: readonly Line[]): Buffer {
  return Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** What a client of one repository does. Each verb but `ask` expects a success. */
export class HubClient {
  readonly id: string;
  readonly #call: Call;
  readonly #headers: Record<string, string>;

  constructor(call: Call, id: string, headers: Record<string, string> = {}) {
    this.id = id;
    this.#call = call;
    this.#headers = headers;
  }

  ask(method: string, path: string, body?: object | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#call(method, path, body, { ...this.#headers, ...headers });
  }

  api(method: string, rest: string, body?: object | Buffer): Promise<Answer> {
    return this.ask(method, `/api/models/${this.id}${rest}`, body);
  }

  async create(more: object = {}): Promise<this> {
    const [organization, name] = this.id.split('/');
    ok(await this.ask('POST', '/api/repos/create', { organization, name, ...more }));
    return this;
  }

  tryCommit(lines: readonly Line[], branch = 'main'): Promise<Answer> {
    return this.api('POST', `/commit/${encodeURIComponent(branch)}`, ndjson(lines));
  }

  /** Returns the commit's id. */
  async commit(lines: readonly Line[], branch = 'main'): Promise<string> {
    return ok(await this.tryCommit(lines, branch)).json.commitOid;
  }

  /** The upload addresses that the server gives for these bytes; undefined for what it has already. */
  async batch(contents: readonly Uint8Array[]): Promise<(string | undefined)[]> {
    const objects = contents.map((bytes) => ({ oid: sha256(bytes), size: bytes.length }));
    const answer = await this.ask('POST', `/${this.id}.git/info/lfs/objects/batch`, {
      operation: 'upload',
      transfers: ['basic', 'multipart'],
      objects,
      hash_algo: 'sha256',
    });
    return ok(answer).json.objects.map((each: { actions?: { upload: { href: string } } }) => each.actions?.upload.href);
  }

  /** Uploads as clients do: without a token, at the address given. */
  async upload(bytes: Buffer): Promise<void> {
    const [href] = await this.batch([bytes]);
    if (href !== undefined) ok(await this.#call('PUT', pathOf(href), bytes));
  }

  /** Uploads and commits large files. */
  async push(files: Readonly<Record<string, Buffer>>, summary?: string, branch = 'main'): Promise<string> {
    for (const bytes of Object.values(files)) await this.upload(bytes);
    const lines = Object.entries(files).map(([path, bytes]) => lfsFile(path, bytes));
    return this.commit([header(summary), ...lines], branch);
  }

  resolve(revision: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    return this.ask(method, `/${this.id}/resolve/${encodeURIComponent(revision)}/${path}`, undefined, headers);
  }

  async bytes(revision: string, path: string): Promise<Buffer> {
    return ok(await this.resolve(revision, path)).bytes;
  }

  async head(revision = 'main'): Promise<string> {
    return ok(await this.api('GET', `/revision/${encodeURIComponent(revision)}`)).json.sha;
  }

  /** Paths of the files at a revision. */
  async paths(revision = 'main'): Promise<string[]> {
    const answer = ok(await this.api('GET', `/tree/${encodeURIComponent(revision)}?recursive=true`));
    const entries = answer.json as { type: string; path: string }[];
    return entries.flatMap(({ type, path }) => (type === 'file' ? [path] : []));
  }

  /** Ids of the commits, newest first. */
  async history(revision = 'main'): Promise<string[]> {
    return ok(await this.api('GET', `/commits/${encodeURIComponent(revision)}`)).json.map(
      ({ id }: { id: string }) => id,
    );
  }

  /** Names of tags with the commits that they lead to. */
  async tags(): Promise<Record<string, string>> {
    const { tags } = ok(await this.api('GET', '/refs')).json as { tags: { name: string; targetCommit: string }[] };
    return Object.fromEntries(tags.map(({ name, targetCommit }) => [name, targetCommit]));
  }
}

/** The answer, which must be a success. */
export function ok(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.bytes.toString()}`);
  return answer;
}

/** An error as hub clients need it: a JSON object that is no problem document, and a code in a header field. */
export function expectHubError(answer: Answer, status: number, code?: string): void {
  const { headers, json } = answer;
  expect([answer.status, headers.get('x-error-code')], answer.bytes.toString()).toEqual([
    status,
    code ?? expect.any(String),
  ]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(json).toMatchObject({ error: expect.any(String) });
  expect(headers.get('x-request-id')).toBeTruthy();
}

export function pathOf(href: string): string {
  const { pathname, search } = new URL(href);
  return pathname + search;
}
