import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenAccess } from '../../access/access.ts';
import { createToken } from '../../access/create-token.ts';
import { operator } from '../../access/principal.ts';
import { parseGrant } from '../../checkpoint/grant.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Answer, type Call } from '../http-client.test-support.ts';
import { safetensors } from '../safetensors.test-support.ts';
import { file, header, HubClient, lfsFile, ok } from './hub-client.test-support.ts';

type Headers = Record<string, string>;
interface Listed {
  readonly files: { readonly path: string; readonly href: string; readonly package?: { readonly id: string } }[];
  readonly packages: { readonly id: string; readonly href: string; readonly sizeBytes: number }[];
}

let gateway: TestGateway;
let call: Call;
let admin: Headers;
/** May read the base and the fine-tune. */
let both: Headers;
/** May read the fine-tune only. */
let tunedOnly: Headers;
const stranger: Headers = {};

const tokenOf = async (...grants: string[]): Promise<Headers> => {
  const input = { name: 'test', grants: grants.map(parseGrant) };
  const { text } = await createToken(gateway.catalog, operator, input);
  return { authorization: `Bearer ${text}` };
};

/** Weights that no coder makes small by themselves; `moved` of them differ. */
const weights = (moved: number, rest: Record<string, { shape: number[]; values: number[] }> = {}): Buffer => {
  let state = 12345;
  const values = Array.from({ length: 4096 }, (_, i) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.fround(state / 2 ** 32 - 0.5) + (i < moved ? 0.25 : 0);
  });
  return safetensors({ w: { shape: [64, 64], values }, ...rest });
};

const push = async (hub: HubClient, step: number, bytes: Buffer, card: string): Promise<void> => {
  await hub.upload(bytes);
  await hub.commit([header(`step ${step}`), file('README.md', card), lfsFile('model.safetensors', bytes)]);
  await gateway.encode();
};

const get = (path: string, headers: Headers): Promise<Answer> => call('GET', path, undefined, headers);
const pullOf = async (headers: Headers, revision = 'main', id = 'bob/tuned'): Promise<Listed> =>
  ok(await get(`/v1/repositories/${id}/revisions/${revision}/packages`, headers)).json;
const checkpointOf = async (headers: Headers, step = 1, id = 'bob/tuned') =>
  ok(await get(`/v1/repositories/${id}/runs/default/checkpoints/${step}`, headers)).json;
const weightsOf = ({ files }: Listed) => files.find(({ path }) => path === 'model.safetensors')!;

beforeAll(async () => {
  gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), trustProxy: false }),
  });
  call = caller(createApp(gateway));
  admin = await tokenOf('admin');
  both = await tokenOf('read:acme', 'read:bob');
  tunedOnly = await tokenOf('read:bob');
  const base = await new HubClient(call, 'acme/base', admin).create({ private: true });
  await push(base, 70, weights(0), 'A base.');
  await push(base, 770_077, weights(4), 'A base.');
  const tuned = await new HubClient(call, 'bob/tuned', admin).create({ private: false });
  const card = '---\nbase_model: acme/base\n---\n';
  await push(tuned, 1, weights(40), card);
  await push(tuned, 2, weights(60), card);
});
afterAll(() => gateway.close());

describe('a public fine-tune of a private base', () => {
  it.each([
    ['a stranger', () => stranger],
    ['who may read the fine-tune only', () => tunedOnly],
  ])('is pulled as plain files by %s, who learns nothing of the base', async (_, headersOf) => {
    const headers = headersOf();
    for (const [revision, moved] of [
      ['step-1', 40],
      ['step-2', 60],
      ['main', 60],
    ] as const) {
      const pull = await pullOf(headers, revision);
      expect(pull.packages).toEqual([]);
      expect(weightsOf(pull).package).toBeUndefined();
      expect(ok(await get(weightsOf(pull).href, headers)).bytes).toEqual(weights(moved));
    }
    const secrets = (await pullOf(both, 'step-770077', 'acme/base')).packages.map(({ id }) => id);
    expect(secrets.length).toBeGreaterThan(0);
    for (const step of [1, 2]) {
      const shown = await checkpointOf(headers, step);
      expect(shown).not.toHaveProperty('package');
      for (const secret of [...secrets, 'acme', '770077']) expect(JSON.stringify(shown.result)).not.toContain(secret);
      const own = await gateway.catalog.packages.get(await packageIdOf(step));
      const answers = [
        await get(`/v1/repositories/bob/tuned/runs/default/checkpoints/${step}/package`, headers),
        await get(`/v1/repositories/bob/tuned/packages/${own!.id}`, headers),
        await get(`/v1/repositories/bob/tuned/packages/${own!.ancestorId}`, headers),
        await get(`/v1/repositories/bob/tuned/packages/${'0'.repeat(32)}`, headers),
      ];
      for (const { status, json } of answers) expect([status, json.detail]).toEqual([404, answers[3]!.json.detail]);
    }
  });

  it('is pulled from packages by who may read both, each from its own repository', async () => {
    const pull = await pullOf(both);
    expect(pull.packages.length).toBeGreaterThan(2);
    expect(weightsOf(pull).package).toBeDefined();
    for (const { href, sizeBytes } of pull.packages) {
      const { status, bytes } = await get(href, both);
      expect([status, bytes.length], href).toEqual([200, sizeBytes]);
    }
    const { package: stored, result } = await checkpointOf(both);
    expect(stored.ancestorHref).toMatch(/^\/v1\/repositories\/acme\/base\/packages\/[0-9a-f]{32}$/);
    const delta = await get(stored.href, both);
    expect(delta.headers.get('link')).toBe(`<${stored.ancestorHref}>; rel="predecessor-version"`);
    expect((await get(stored.ancestorHref, both)).status).toBe(200);
    // Other readers are shown the same result.
    expect(result).toMatchObject({ kind: 'delta' });
    expect(result).not.toHaveProperty('ancestorStep');
    expect(result).not.toHaveProperty('ancestorRun');
    expect((await checkpointOf(both, 2)).result).toMatchObject({ ancestorRun: 'default', ancestorStep: 1 });
  });

  it('tells on its page neither what of the base it is stored against nor how large that is', async () => {
    const page = async (headers: Headers): Promise<string> =>
      (await get('/bob/tuned/runs/default/1', { ...headers, accept: 'text/html' })).bytes.toString();
    const [row] = /a checkpoint of another repository.*?<\/tr>/s.exec(await page(stranger)) ?? [];
    expect(row).toMatch(/base/);
    expect(row).not.toMatch(/\d/);
  });

  it('is pulled as plain files by everybody once the base was deleted', async () => {
    const deleted = await new HubClient(call, 'acme/deleted', admin).create({ private: true });
    await push(deleted, 5, weights(0), 'A base.');
    const tuned = await new HubClient(call, 'bob/outlives', admin).create({ private: false });
    await push(tuned, 1, weights(40), '---\nbase_model: acme/deleted\n---\n');
    expect((await pullOf(both, 'main', 'bob/outlives')).packages).toHaveLength(2);
    ok(await deleted.ask('DELETE', '/api/repos/delete', { name: 'deleted', organization: 'acme' }));
    for (const headers of [admin, both, tunedOnly, stranger]) {
      const pull = await pullOf(headers, 'main', 'bob/outlives');
      expect(pull.packages).toEqual([]);
      expect(ok(await get(weightsOf(pull).href, headers)).bytes).toEqual(weights(40));
      expect((await get('/v1/repositories/bob/outlives/runs/default/checkpoints/1/package', headers)).status).toBe(404);
    }
  });

  it('can be deleted by its description, which its owner who may not read the base gets', async () => {
    const owner = await tokenOf('admin:bob');
    const id = 'bob/short-lived';
    const tuned = await new HubClient(call, id, admin).create({ private: false });
    await push(tuned, 1, weights(40), '---\nbase_model: acme/base\n---\n');
    const path = `/v1/repositories/${id}/runs/default/checkpoints/1`;
    const etag = (await get(path, owner)).headers.get('etag')!;
    expect((await call('DELETE', path, undefined, { ...owner, 'if-match': etag })).status).toBe(204);
  });
});

async function packageIdOf(step: number): Promise<string> {
  const repository = await gateway.catalog.repositories.find('bob', 'tuned');
  const run = await gateway.catalog.runs.find(repository!.id, 'default');
  return (await gateway.catalog.checkpoints.find(run!.id, step))!.packageId!;
}
