import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { firnErrorCodes } from '../checkpoint/firn-error.ts';
import { problemKinds, type ProblemKind } from './answer/problem-status.ts';
import type { Problem } from './answer/render-problem.ts';
import { openApiText } from './openapi-text.ts';

const root = new URL('../../', import.meta.url);
const run = promisify(execFile);

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly example?: unknown;
  readonly examples?: readonly Problem[];
}
interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: Answer;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, Answer>>;
}
const document = JSON.parse(openApiText()) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const schemaOf = ({ $ref, ...schema }: Schema): Schema =>
  $ref === undefined ? schema : document.components.schemas[$ref.split('/').at(-1)!]!;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

const pick = ({ status, title }: ProblemKind): Pick<ProblemKind, 'status' | 'title'> => ({ status, title });

describe('the OpenAPI document', () => {
  it('is the one in openapi/: run `npx tsx scripts/write-openapi.ts` after changing a route', async () => {
    expect(openApiText()).toBe(await readFile(new URL('openapi/firn.json', root), 'utf8'));
  });

  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      operations.filter(
        ({ operation }) => !operation.operationId || !operation.summary || operation.tags?.length !== 1,
      ),
    ).toEqual([]);
  });

  it('describes every operation in a sentence, besides its summary', () => {
    const bare = operations.filter(
      ({ operation: { description, summary } }) => !description || description === summary,
    );
    expect(bare.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('describes every parameter in a sentence', () => {
    const parameters = operations.flatMap(({ operation: { operationId, parameters: its = [] } }) =>
      its.map(({ name, description = '' }) => ({ name: `${operationId} ${name}`, description })),
    );
    expect(parameters.length).toBeGreaterThan(200);
    expect(parameters.filter(({ description }) => !/ .*\.$/.test(description)).map(({ name }) => name)).toEqual([]);
  });

  it('describes every operation in a sentence', () => {
    const short = operations.filter(({ operation }) => (operation.description ?? '').split(' ').length < 4);
    expect(short.map(({ operation }) => `${operation.operationId}: ${operation.description}`)).toEqual([]);
  });

  it('has an example of every body', () => {
    const bodies = operations.flatMap(({ operation }) =>
      [['request', operation.requestBody] as const, ...Object.entries(operation.responses)].flatMap(([place, answer]) =>
        Object.entries(answer?.content ?? {}).map(([type, media]) => ({
          name: `${operation.operationId} ${place} ${type}`,
          example: media.example ?? schemaOf(media.schema).example,
        })),
      ),
    );
    expect(bodies.length).toBeGreaterThan(400);
    expect(bodies.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('has one example of every problem code, with the status it is answered with', () => {
    const { examples = [] } = document.components.schemas['Problem']!;
    expect(examples.map(({ code, status, title }) => ({ code, status, title }))).toEqual(
      firnErrorCodes.map((code) => ({ code, ...pick(problemKinds[code]) })),
    );
    expect(examples.filter(({ detail }) => !/^[A-Z\d].*[.}]$/.test(detail))).toEqual([]);
  });

  // The answers of these contain a secret, which is not stored for repetition.
  it('declares the Idempotency-Key of every operation that honours one', () => {
    const keyed = operations.filter(({ operation }) =>
      operation.parameters?.some(({ name, in: where }) => where === 'header' && name === 'idempotency-key'),
    );
    const posts = operations.filter(
      ({ path, method, operation }) =>
        path.startsWith('/v1/') &&
        method === 'post' &&
        !['createToken', 'createWebhook'].includes(operation.operationId ?? ''),
    );
    expect(keyed.map(({ operation }) => operation.operationId)).toEqual(
      posts.map(({ operation }) => operation.operationId),
    );
    expect(posts.filter(({ operation }) => !('409' in operation.responses))).toEqual([]);
  });

  it('says what every native operation may refuse', () => {
    const silent = operations.filter(
      ({ path, operation }) =>
        path.startsWith('/v1/') && !Object.keys(operation.responses).some((status) => status.startsWith('4')),
    );
    expect(silent).toEqual([]);
  });

  it('has no router patterns in its paths', () => {
    expect(Object.keys(document.paths).filter((path) => /[^{}\w/.-]|\{\w*[^\w}]/.test(path))).toEqual([]);
  });

  it('passes the linter', async () => {
    await run(process.execPath, ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi/firn.json'], {
      cwd: fileURLToPath(root),
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    });
  });

  it('gives a client that type-checks', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'firn-client-'));
    try {
      // The command of docs/guide/api.md.
      const types = [
        'node_modules/openapi-typescript/bin/cli.js',
        'openapi/firn.json',
        '-o',
        join(directory, 'firn.d.ts'),
      ];
      await run(process.execPath, types, { cwd: fileURLToPath(root) });
      await writeFile(join(directory, 'use.ts'), clientUse);
      const resolved = ['--paths', 'null', '--typeRoots', fileURLToPath(new URL('node_modules/@types', root))];
      await run(process.execPath, [
        fileURLToPath(new URL('node_modules/typescript/bin/tsc', root)),
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--moduleResolution',
        'nodenext',
        ...resolved.slice(2),
        join(directory, 'use.ts'),
      ]);
    } catch (error) {
      throw new Error(
        `the client does not type-check: ${(error as { stdout?: string }).stdout ?? ''} ${String(error)}`,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

/** A program written against the document; the compiler checks it. */
const clientUse = `
import createClient from '${fileURLToPath(new URL('node_modules/openapi-fetch/dist/index.mjs', root))}';
import type { components, paths } from './firn.d.ts';

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:8080' });
export async function main(): Promise<string | undefined> {
  await client.POST('/v1/repositories', { body: { namespace: 'acme', name: 'lm' } });
  const path = { namespace: 'acme', name: 'lm', run: 'first', step: 1 };
  await client.POST('/v1/repositories/{namespace}/{name}/runs', {
    params: { path },
    body: { name: 'first', evalSet: 'held-out', thresholds: { loss: 0.05 } },
  });
  const { data, error } = await client.GET('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
    params: { path },
  });
  if (error !== undefined) {
    const problem: components['schemas']['Problem'] = error;
    // @ts-expect-error: not one of the codes
    const wrong: typeof problem.code = 'no-such-code';
    return wrong ?? problem.detail;
  }
  const state: 'open' | 'queued' | 'working' | 'ready' | 'failed' | 'cancelled' = data.state;
  await client.DELETE('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}', {
    // @ts-expect-error: the step is a number
    params: { path: { ...path, step: 'one' } },
  });
  return state;
}
`;
