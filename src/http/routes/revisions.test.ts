import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import { packagesOf } from '../../hub/tree/plan-pull.ts';
import { loadCore } from '../../native/load-core.ts';
import { unpackPackages } from '../../restore/unpack-packages.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';

interface Listed {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly href: string;
  readonly package?: { readonly id: string; readonly path: string };
}
interface Package {
  readonly id: string;
  readonly holds: readonly string[];
  readonly ancestorId?: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly href: string;
  readonly held: boolean;
}

let gateway: TestGateway;
let call: Call;
let folder: string;
const repository = '/v1/repositories/acme/lm';
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
/** Weights of which few change in a step. */
const model = (step: number): Buffer =>
  safetensors({
    'layer.weight': {
      shape: [128, 128],
      values: ramp(16_384, 1).map((value, i) => (i % 97 < step ? value + 1 : value)),
    },
  });
const config = Buffer.from('{"hidden_size": 128}');

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
  folder = await mkdtemp(join(tmpdir(), 'firn-pull-'));
  await call('POST', '/v1/repositories', { namespace: 'acme', name: 'lm' });
  await call('POST', `${repository}/runs`, { name: 'train' });
  for (const step of [0, 1, 2]) {
    const checkpoint = `${repository}/runs/train/checkpoints`;
    await call('POST', checkpoint, { step });
    await call('PUT', `${checkpoint}/${step}/files/model.safetensors`, model(step));
    await call('PUT', `${checkpoint}/${step}/files/sub/config.json`, config);
    await call('POST', `${checkpoint}/${step}/commit`);
    await gateway.encode();
  }
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

const pullOf = async (revision: string, query = '') => {
  const answer = await call('GET', `${repository}/revisions/${revision}/packages${query}`);
  expect(answer.status, JSON.stringify(answer.json)).toBe(200);
  return answer.json as { revision: string; files: Listed[]; packages: Package[] };
};

/** Downloads packages and rebuilds the one that a file names; digests by path. */
async function rebuild(packages: readonly Package[], packageId: string): Promise<Record<string, string>> {
  const paths: string[] = [];
  for (const { id, href, etag, sizeBytes } of packages) {
    const { status, bytes } = await call('GET', href, undefined, { 'if-match': etag });
    expect([status, bytes.length]).toEqual([200, sizeBytes]);
    paths.push(join(folder, `${id}.firn`));
    await writeFile(paths.at(-1)!, bytes);
  }
  const outFolder = await mkdtemp(join(folder, 'out-'));
  const files = await unpackPackages({ core: loadCore(), packagePaths: paths, packageId, outFolder });
  const written = files.filter((file) => file.written).map(({ file }) => file.path);
  return Object.fromEntries(
    await Promise.all(written.map(async (path) => [path, sha256(await readFile(join(outFolder, path)))] as const)),
  );
}

describe('the packages of a revision', () => {
  it.each(['step-2', 'train/step-2', 'train%2Fstep-2', 'main', 'train', 'refs/heads/main'])(
    'rebuild its files, named %s',
    async (revision) => {
      const { files, packages, revision: id } = await pullOf(revision);
      expect(id).toMatch(/^[0-9a-f]{40}$/);
      const weights = files.find(({ path }) => path === 'model.safetensors')!;
      expect(weights).toMatchObject({ sha256: sha256(model(2)), sizeBytes: model(2).length });
      expect(packages.map(({ held }) => held)).toEqual(packages.map(() => false));
      expect(packages[0]!.ancestorId).toBeUndefined();
      const rebuilt = await rebuild(packages, weights.package!.id);
      expect(rebuilt[weights.package!.path]).toBe(weights.sha256);
      expect((await pullOf(id)).packages).toEqual(packages);
    },
  );

  it('that a holder of another revision has are marked, and the rest is the delta between the two', async () => {
    const before = await pullOf('step-1');
    const { packages } = await pullOf('step-2', '?have=step-1');
    const missing = packages.filter(({ held }) => !held);
    expect(packages.filter(({ held }) => held).map(({ id }) => id)).toEqual(before.packages.map(({ id }) => id));
    expect(missing).toHaveLength(1);
    expect(missing[0]!.ancestorId).toBe(before.packages.at(-1)!.holds.at(-1));
    const whole = model(2).length;
    expect(missing[0]!.sizeBytes).toBeLessThan(whole / 10);
    expect((await pullOf('step-0', '?have=train/step-2')).packages.every(({ held }) => held)).toBe(true);
  });

  it('come with addresses of the whole files', async () => {
    for (const { href, sha256: digest, sizeBytes } of (await pullOf('step-1')).files) {
      const { status, bytes } = await call('GET', href);
      expect([status, sha256(bytes), bytes.length]).toEqual([200, digest, sizeBytes]);
    }
  });

  it('are those of a commit, beside its plain files', async () => {
    const inline = (path: string, bytes: Buffer): object => ({
      key: 'file',
      value: { path, content: bytes.toString('base64'), encoding: 'base64' },
    });
    const lines = [
      { key: 'header', value: { summary: 'step 7' } },
      inline('config.json', config),
      inline('weights/model.safetensors', model(7)),
    ];
    await call('POST', '/v1/repositories', { namespace: 'acme', name: 'committed' });
    const committed = await call(
      'POST',
      '/api/models/acme/committed/commit/main',
      Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
      { 'content-type': 'application/x-ndjson' },
    );
    expect(committed.status, committed.bytes.toString()).toBe(200);
    await gateway.encode();
    const answer = await call('GET', '/v1/repositories/acme/committed/revisions/main/packages');
    const { revision, files, packages } = answer.json as { revision: string; files: Listed[]; packages: Package[] };
    expect(revision).toBe((committed.json as { commitOid: string }).commitOid);
    expect(files.map(({ path, sha256: digest }) => [path, digest])).toEqual([
      ['config.json', sha256(config)],
      ['weights/model.safetensors', sha256(model(7))],
    ]);
    expect(files[0]!.package).toBeUndefined();
    const holder = files[1]!.package!;
    expect((await rebuild(packages, holder.id))[holder.path]).toBe(sha256(model(7)));
    expect((await call('GET', files[0]!.href)).bytes).toEqual(config);
  });

  it.each([
    [`${repository}/revisions/step-9/packages`, 404],
    [`${repository}/revisions/step-1/packages?have=step-9`, 404],
    [`${repository}/revisions/${'0'.repeat(40)}/packages`, 404],
    ['/v1/repositories/acme/other/revisions/main/packages', 404],
    [`${repository}/revisions/${'x'.repeat(301)}/packages`, 400],
  ])('of %s do not exist', async (path, status) => {
    expect((await call('GET', path)).status).toBe(status);
  });
});

describe('packagesOf', () => {
  const record = (id: string, rest: Partial<PackageRecord> = {}): PackageRecord =>
    ({ id, position: 0, sizeBytes: 1, ...rest }) as PackageRecord;
  const base = record('a');
  const merged = [
    record('b', { ancestorId: 'a', mergedPackageId: 'm' }),
    record('c', { ancestorId: 'b', mergedPackageId: 'm', position: 1 }),
  ] as const;

  it('lists a merged package once, with what of it is needed', () => {
    expect(packagesOf([[merged[0], base]])).toEqual([
      { id: 'a', holds: ['a'], sizeBytes: 1 },
      { id: 'm', holds: ['b'], ancestorId: 'a', sizeBytes: 1 },
    ]);
    const fork = record('f', { ancestorId: 'b' });
    expect(
      packagesOf([
        [fork, merged[0], base],
        [merged[1], merged[0], base],
      ]).map(({ id, holds }) => [id, holds]),
    ).toEqual([
      ['a', ['a']],
      ['m', ['b', 'c']],
      ['f', ['f']],
    ]);
  });
});
