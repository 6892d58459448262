import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobOid, pointerOid } from '../../hub/tree/git-object.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { expectHubError, file, header, HubClient, lfsFile, ok, sha256 } from './hub-client.test-support.ts';

const small = Buffer.from('a small file\n');
const large = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));

let gateway: TestGateway;
let hub: HubClient;
let commit: string;

beforeAll(async () => {
  gateway = await openTestGateway();
  hub = await new HubClient(caller(createApp(gateway)), 'acme/files').create();
  await hub.upload(large);
  commit = await hub.commit([header(), file('d/small.txt', small), file('empty', ''), lfsFile('large.bin', large)]);
});
afterAll(() => gateway.close());

describe('a file of a commit', () => {
  it('has the header fields that clients need, from HEAD and GET alike', async () => {
    for (const method of ['HEAD', 'GET']) {
      const { status, headers } = await hub.resolve('main', 'd/small.txt', {}, method);
      expect([status, headers.get('etag'), headers.get('content-length'), headers.get('x-repo-commit')]).toEqual([
        200,
        `"${blobOid(small)}"`,
        String(small.length),
        commit,
      ]);
      expect(headers.get('x-linked-etag')).toBeNull();
      const ofLarge = (await hub.resolve('main', 'large.bin', {}, method)).headers;
      const names = ['etag', 'x-linked-etag', 'x-linked-size', 'content-length', 'accept-ranges', 'content-encoding'];
      expect(names.map((name) => ofLarge.get(name))).toEqual([
        `"${sha256(large)}"`,
        `"${sha256(large)}"`,
        '5000',
        '5000',
        'bytes',
        null,
      ]);
      expect(ofLarge.get('x-xet-hash')).toBeNull();
    }
  });

  it.each<[string, number, string | null, number, number]>([
    ['bytes=0-0', 206, 'bytes 0-0/5000', 0, 1],
    ['bytes=4999-', 206, 'bytes 4999-4999/5000', 4999, 5000],
    ['bytes=100-199', 206, 'bytes 100-199/5000', 100, 200],
    ['bytes=100-99999', 206, 'bytes 100-4999/5000', 100, 5000],
    ['bytes=-10', 206, 'bytes 4990-4999/5000', 4990, 5000],
    ['bytes=0-1,5-6', 200, null, 0, 5000],
    ['lines=1-2', 200, null, 0, 5000],
  ])('answers %s with exactly these bytes', async (range, status, contentRange, from, to) => {
    const answer = await hub.resolve('main', 'large.bin', { range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
    expect(answer.bytes).toEqual(large.subarray(from, to));
    expect(answer.headers.get('etag')).toBe(`"${sha256(large)}"`);
  });

  it('refuses a range outside of it, with its size, as JSON that clients read', async () => {
    const answer = await hub.resolve('main', 'large.bin', { range: 'bytes=5000-' });
    expectHubError(answer, 416);
    expect(answer.headers.get('content-range')).toBe('bytes */5000');
    expectHubError(await hub.resolve('main', 'large.bin', { 'if-match': '"other"' }), 412);
    const known = await hub.resolve('main', 'large.bin', { 'if-none-match': `"${sha256(large)}"` });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
  });

  it('may be empty', async () => {
    const { status, headers, bytes } = await hub.resolve('main', 'empty');
    expect([status, headers.get('content-length'), bytes.length]).toEqual([200, '0', 0]);
    expect(headers.get('etag')).toBe('"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"');
    // JavaScript clients ask for the first byte of every file, and read the size from the answer.
    const ranged = await hub.resolve('main', 'empty', { range: 'bytes=0-0' });
    expect([ranged.status, ranged.headers.get('content-range'), ranged.bytes.length]).toEqual([200, 'bytes */0', 0]);
  });

  it('is opened by GET, and neither by HEAD nor by lists', async () => {
    const opened: unknown[] = [];
    const spied = caller(
      createApp({
        ...gateway,
        metrics: new (await import('prom-client')).Registry(),
        hub: {
          ...gateway.hub,
          openEntry: (...asked) => {
            opened.push(asked);
            return gateway.hub.openEntry(...asked);
          },
        },
      }),
    );
    ok(await spied('HEAD', `/${hub.id}/resolve/main/large.bin`));
    ok(await spied('GET', `/api/models/${hub.id}/tree/main?recursive=true`));
    ok(await spied('GET', `/api/models/${hub.id}?blobs=true`));
    ok(await spied('POST', `/api/models/${hub.id}/paths-info/main`, { paths: ['large.bin'] }));
    expect(opened).toEqual([]);
    ok(await spied('GET', `/${hub.id}/resolve/main/large.bin`));
    expect(opened.length).toBe(1);
  });

  it('has a pointer in the place of a large one where it is asked for as git has it', async () => {
    const raw = (method: string, headers = {}) => hub.ask(method, `/${hub.id}/raw/main/large.bin`, undefined, headers);
    const whole = ok(await raw('GET'));
    expect(whole.bytes.toString()).toMatch(/^version https:\/\/git-lfs/);
    const { length } = whole.bytes;
    const head = ok(await raw('HEAD'));
    expect([head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([`${length}`, 'bytes']);
    const first = await raw('GET', { range: 'bytes=0-0' });
    expect([first.status, first.headers.get('content-range')]).toEqual([206, `bytes 0-0/${length}`]);
  });

  it('is told apart from a missing one, a missing revision and a missing repository', async () => {
    const missing = await hub.resolve('main', 'absent');
    expectHubError(missing, 404, 'EntryNotFound');
    expect(missing.headers.get('x-repo-commit')).toBe(commit);
    for (const path of ['d', 'd/', 'd//small.txt', '/small.txt', 'd/small.txt/x', 'D/small.txt'])
      expectHubError(await hub.resolve('main', path), 404, 'EntryNotFound');
    for (const revision of ['nowhere', 'refs/heads/none', 'f'.repeat(40), 'step-1', commit.slice(0, 10)])
      expectHubError(await hub.resolve(revision, 'large.bin'), 404, 'RevisionNotFound');
    for (const id of ['acme/none', 'none/files'])
      expectHubError(await hub.ask('GET', `/${id}/resolve/main/large.bin`), 404, 'RepoNotFound');
    expectHubError(await hub.ask('GET', `/datasets/${hub.id}/resolve/main/large.bin`), 404, 'RepoNotFound');
    expectHubError(await hub.ask('GET', '/files/resolve/main/large.bin'), 404, 'RepoNotFound');
    expectHubError(await hub.ask('GET', `/api/datasets/${hub.id}`), 404, 'RepoNotFound');
    expectHubError(await hub.api('GET', '/tree/main/none'), 404, 'EntryNotFound');
    expectHubError(await hub.api('GET', '/nonsense'), 404);
    expectHubError(await hub.api('PATCH', ''), 404);
    expectHubError(await hub.ask('GET', '/api/nonsense'), 404);
    const head = await hub.resolve('main', 'absent', {}, 'HEAD');
    expect([head.status, head.headers.get('x-error-code'), head.bytes.length]).toEqual([404, 'EntryNotFound', 0]);
  });

  it('stays what it is at its revision, whatever happens to the branch', async () => {
    const other = await new HubClient(caller(createApp(gatewayAgain())), 'acme/immutable').create();
    const revisions: string[] = [];
    for (let i = 0; i < 4; i++)
      revisions.push(await other.commit([header(`v${i}`), file('f', `${i}`), file(`n${i}`, 'x')]));
    ok(await other.api('POST', `/tag/${revisions[1]}`, { tag: 'v1' }));
    ok(await other.api('POST', '/branch/old', { startingPoint: revisions[0] }));
    ok(await other.api('DELETE', '/branch/old'));
    for (const [i, revision] of revisions.entries()) {
      expect((await other.bytes(revision, 'f')).toString()).toBe(`${i}`);
      expect(await other.paths(revision)).toEqual(['f', ...Array.from({ length: i + 1 }, (_, n) => `n${n}`)]);
    }
    expect(await other.head('v1')).toBe(revisions[1]);
    expect(await other.head('refs/tags/v1')).toBe(revisions[1]);
    expect(await other.head('refs/heads/main')).toBe(revisions[3]);
  });
});

describe('lists of files', () => {
  it('show sizes and ids as git has them', async () => {
    const tree = ok(await hub.api('GET', '/tree/main?recursive=true')).json;
    const pointer = pointerOid(sha256(large), large.length);
    const lfs = { oid: sha256(large), sha256: sha256(large), size: 5000, pointerSize: 129 };
    expect(tree).toEqual([
      { type: 'directory', oid: expect.any(String), size: 0, path: 'd' },
      { type: 'file', oid: blobOid(small), size: small.length, path: 'd/small.txt' },
      { type: 'file', oid: blobOid(new Uint8Array()), size: 0, path: 'empty' },
      { type: 'file', oid: pointer, size: 5000, path: 'large.bin', lfs },
    ]);
    const { siblings } = ok(await hub.api('GET', '/revision/main?blobs=true')).json;
    expect(siblings.at(-1)).toEqual({ rfilename: 'large.bin', size: 5000, blobId: pointer, lfs });
    const form = await hub.ask(
      'POST',
      `/api/models/${hub.id}/paths-info/main`,
      Buffer.from('paths=d&paths=empty&expand=true'),
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    );
    expect(ok(form).json.map(({ path }: { path: string }) => path)).toEqual(['d', 'empty']);
  });

  it('tell, when they are expanded, the last commit of each path and that nothing was scanned', async () => {
    const told = await new HubClient(caller(createApp(gatewayAgain())), 'acme/told').create();
    await told.commit([header('first'), file('d/old', '1'), file('d/e/new', '1'), file('top', '1')]);
    const first = await told.head();
    await told.commit([header('second'), file('d/e/new', '2')]);
    const titles = (entries: { path: string; lastCommit: { title: string } | null }[]): Record<string, unknown> =>
      Object.fromEntries(entries.map(({ path, lastCommit }) => [path, lastCommit?.title]));
    const tree = ok(await told.api('GET', '/tree/main?recursive=true&expand=True')).json;
    expect(titles(tree)).toEqual({ d: 'second', 'd/e': 'second', 'd/e/new': 'second', 'd/old': 'first', top: 'first' });
    const { lastCommit, securityFileStatus } = tree.at(-1);
    expect(lastCommit).toEqual({ id: first, title: 'first', date: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(securityFileStatus).toEqual({ status: 'unscanned', avScan: null, pickleImportScan: null });
    expect(tree[0]).not.toHaveProperty('securityFileStatus');
    expect(titles(ok(await told.api('GET', '/tree/main/d?expand=1')).json)).toEqual({
      'd/e': 'second',
      'd/old': 'first',
    });
    const asked = { paths: ['d', 'top', 'absent'], expand: true };
    expect(titles(ok(await told.api('POST', '/paths-info/main', asked)).json)).toEqual({ d: 'second', top: 'first' });
    for (const expand of [false, undefined])
      expect(ok(await told.api('POST', '/paths-info/main', { ...asked, expand })).json[0]).not.toHaveProperty(
        'lastCommit',
      );
  });

  it('come in pages that a client follows to the end', async () => {
    const many = await new HubClient(caller(createApp(gatewayAgain())), 'acme/many').create();
    const paths = Array.from({ length: 25 }, (_, i) => `f${i % 5}/x${i}`).sort();
    await many.commit([header(), ...paths.map((path) => file(path, 'x'))]);
    const seen: string[] = [];
    let next: string | undefined = `/api/models/${many.id}/tree/main?recursive=true&limit=7`;
    let pages = 0;
    for (; next !== undefined; pages++) {
      const answer: Awaited<ReturnType<HubClient['ask']>> = ok(await many.ask('GET', next));
      for (const entry of answer.json) if (entry.type === 'file') seen.push(entry.path);
      const link = /^<(http:\/\/localhost\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '');
      next = link === null ? undefined : link[1]!.slice('http://localhost'.length);
    }
    expect([seen.sort(), pages]).toEqual([paths, 5]);
  });

  it('find a revision with slashes under both spellings, where branches and tags share a beginning', async () => {
    const runs = await new HubClient(caller(createApp(gatewayAgain())), 'acme/runs').create();
    await runs.ask('POST', `/v1/repositories/${runs.id}/runs`, { name: 'trial', fidelity: 'exact' });
    const weights = [1, 2].map((seed) => safetensors({ w: { shape: [4], values: ramp(4, seed) } }));
    for (const [i, bytes] of weights.entries())
      ok(await runs.ask('PUT', `/v1/repositories/${runs.id}/runs/trial/checkpoints/${i + 1}`, bytes));
    await gateway.encode();
    for (const slash of ['/', '%2F']) {
      const revision = `trial${slash}step-1`;
      const at = (path: string) => runs.ask('GET', `/${runs.id}/resolve/${revision}/${path}`);
      expect(ok(await at('model.safetensors')).bytes, revision).toEqual(weights[0]);
      expectHubError(await at('absent'), 404, 'EntryNotFound');
      const info = ok(await runs.api('GET', `/revision/${revision}`)).json;
      expect(info.sha, revision).toBe((await runs.tags())['trial/step-1']);
      expect(ok(await runs.api('GET', `/tree/${revision}`)).headers.get('x-repo-commit')).toBe(info.sha);
      expect(ok(await runs.api('POST', `/paths-info/${revision}`, { paths: [] })).headers.get('x-repo-commit')).toBe(
        info.sha,
      );
    }
    expect(await runs.bytes('trial', 'model.safetensors')).toEqual(weights[1]);
    for (const rest of ['/revision/trial/none', '/commits/main/none', '/revision/main/extra'])
      expectHubError(await runs.api('GET', rest), 404, 'RevisionNotFound');
  });
});

/** The same gateway for another app, which registers its metrics anew. */
function gatewayAgain(): TestGateway {
  gateway.metrics.clear();
  return gateway;
}
