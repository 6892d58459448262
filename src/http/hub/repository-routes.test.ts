import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expireHubFiles } from '../../hub/upload/expire-hub-files.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { expectHubError, file, header, HubClient, ok, sha256 } from './hub-client.test-support.ts';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const newRepository = (): Promise<HubClient> => new HubClient(call, `acme/whole-${++made}`).create();
const weights = safetensors({ w: { shape: [64], values: ramp(64, 1) } });

describe('a branch', () => {
  it('is listed with the commit that it shows, also where that is a native checkpoint', async () => {
    const hub = await newRepository();
    ok(await hub.ask('POST', `/v1/repositories/${hub.id}/runs`, { name: 'default', fidelity: 'exact' }));
    await hub.commit([header(), file('a', '1')]);
    await pause(1000 - (Date.now() % 1000) + 5);
    ok(await hub.ask('PUT', `/v1/repositories/${hub.id}/runs/default/checkpoints/1`, weights));
    await gateway.encode();
    const { branches } = ok(await hub.api('GET', '/refs')).json;
    expect(branches).toEqual([{ name: 'main', ref: 'refs/heads/main', targetCommit: await hub.head() }]);
    expect(await hub.paths()).toEqual(['model.safetensors']);
  });

  it('is made once, moved only when that is asked for, and never named like something else', async () => {
    const hub = await newRepository();
    const first = await hub.commit([header(), file('a', '1')]);
    ok(await hub.api('POST', '/branch/dev', {}));
    expectHubError(await hub.api('POST', '/branch/dev', {}), 409);
    const second = await hub.commit([header(), file('a', '2')]);
    ok(await hub.api('POST', '/branch/dev', { startingPoint: second, overwrite: true }));
    expect(await hub.head('dev')).toBe(second);
    const strange = ['HEAD', '%40', '-x', 'refs%2Fheads%2Fq', 'step-1', 'exp%2Fstep-12'];
    for (const name of ['..', 'a%2F..%2Fb', 'x.lock', '%40%7B', 'a~1', first, 'x%20y', '.', '-%00', ...strange])
      expect([400, 404], name).toContain((await hub.api('POST', `/branch/${name}`, {})).status);
    expectHubError(await hub.api('POST', '/branch/x', { startingPoint: 'none' }), 404, 'RevisionNotFound');
    expectHubError(await hub.api('DELETE', '/branch/main'), 409);
    expectHubError(await hub.api('DELETE', '/branch/none'), 404, 'RevisionNotFound');
    ok(await hub.api('DELETE', '/branch/dev'));
    expectHubError(await hub.api('GET', '/revision/dev'), 404, 'RevisionNotFound');
    ok(await hub.api('POST', `/tag/${first}`, { tag: 'v/1' }));
    expectHubError(await hub.api('POST', `/tag/${first}`, { tag: 'v/1' }), 409);
    ok(await hub.api('DELETE', '/tag/v%2F1'));
  });

  it('is empty when that is asked for, and then begins with its first commit', async () => {
    const hub = await newRepository();
    const first = await hub.commit([header(), file('a', '1')]);
    ok(await hub.api('POST', '/branch/fresh', { emptyBranch: true, startingPoint: first }));
    expect(await hub.paths('fresh')).toEqual([]);
    await hub.commit([header(), file('b', '1')], 'fresh');
    expect(await hub.paths('fresh')).toEqual(['b']);
    expectHubError(await hub.api('POST', '/branch/fresh', { emptyBranch: true }), 409);
    ok(await hub.api('POST', '/branch/fresh', { emptyBranch: true, overwrite: true }));
    expect(await hub.paths('fresh')).toEqual([]);
    ok(await hub.api('POST', '/branch/copy', { emptyBranch: false, startingPoint: first }));
    expect(await hub.paths('copy')).toEqual(['a']);
    expect(await hub.paths()).toEqual(['a']);
  });

  it('has no name that is a folder of another, as in git; tags likewise', async () => {
    const hub = await newRepository();
    const at = await hub.commit([header(), file('a', '1')]);
    ok(await hub.api('POST', '/branch/a', {}));
    ok(await hub.api('POST', '/branch/x%2Fy%2Fz', {}));
    for (const name of ['a%2Fb', 'a%2Fb%2Fc', 'x', 'x%2Fy', 'x%2Fy%2Fz%2F1', 'main%2Fx'])
      for (const overwrite of [false, true])
        expectHubError(await hub.api('POST', `/branch/${name}`, { overwrite }), 409);
    for (const name of ['ab', 'a-b', 'x%2Fz', 'x%2Fy%2Fzz']) ok(await hub.api('POST', `/branch/${name}`, {}));
    ok(await hub.api('POST', `/tag/${at}`, { tag: 'a/b' }));
    expectHubError(await hub.api('POST', `/tag/${at}`, { tag: 'a' }), 409);
    ok(await hub.api('DELETE', '/branch/a'));
    ok(await hub.api('POST', '/branch/a%2Fb', {}));
  });

  it('and tags are not in the way of runs, nor runs in theirs', async () => {
    const hub = await newRepository();
    const at = await hub.commit([header(), file('a', '1')]);
    const newRun = (name: string) => hub.ask('POST', `/v1/repositories/${hub.id}/runs`, { name, fidelity: 'exact' });
    ok(await hub.api('POST', '/branch/a%2Fb', {}));
    ok(await hub.api('POST', `/tag/${at}`, { tag: 'c' }));
    for (const name of ['a', 'c']) {
      const { status, json } = await newRun(name);
      expect([status, json.code, json.detail]).toEqual([409, 'conflict', expect.stringMatching(/hub clients.*"[ac]/i)]);
    }
    // A tag does not hinder a branch, nor a branch a tag.
    ok(await newRun('b'));
    // A run is in the way before it has a checkpoint, as it will be afterwards.
    ok(await newRun('new'));
    expectHubError(await hub.api('POST', '/branch/new%2Fx', {}), 409);
    expectHubError(await hub.api('POST', `/tag/${at}`, { tag: 'new' }), 409);
    for (const tag of ['step-1/x', 'new/step-7/x']) expectHubError(await hub.api('POST', `/tag/${at}`, { tag }), 409);
    ok(await hub.api('POST', `/tag/${at}`, { tag: 'new/best' }));
  });

  it('does not begin with a commit to a run of the native API if another is below its name', async () => {
    const hub = await newRepository();
    const commitId = await hub.commit([header(), file('a', '1')]);
    ok(await hub.ask('POST', `/v1/repositories/${hub.id}/runs`, { name: 'exp', fidelity: 'exact' }));
    // Earlier versions allowed this.
    const { id } = (await gateway.catalog.repositories.find('acme', hub.id.split('/')[1]!))!;
    await gateway.catalog.hub.revisions.setRef(id, { kind: 'branch', name: 'exp/one', commitId });
    ok(await hub.ask('PUT', `/v1/repositories/${hub.id}/runs/exp/checkpoints/1`, weights));
    await gateway.encode();
    const shown = await hub.head('exp');
    expectHubError(await hub.tryCommit([header(), file('b', '1')], 'exp'), 409);
    expect(await hub.head('exp')).toBe(shown);
    expectHubError(await hub.api('POST', '/branch/exp%2Ftwo', {}), 409);
    expectHubError(await hub.api('POST', '/tag/main', { tag: 'exp' }), 409);
  });

  it('that is squashed has one commit with the same files; what only the rest had expires', async () => {
    const hub = await newRepository();
    const [kept, gone] = [Buffer.from('kept\0'), Buffer.from('gone\0')];
    const old = await hub.push({ 'x.bin': gone });
    await hub.push({ 'x.bin': kept });
    const paths = await hub.paths();
    ok(await hub.api('POST', '/super-squash/main', { message: 'one' }));
    expect(await hub.paths()).toEqual(paths);
    expect((await hub.history()).length).toBe(1);
    expectHubError(await hub.resolve(old, 'x.bin'), 404, 'RevisionNotFound');
    await pause(5);
    const { id } = (await gateway.catalog.repositories.find('acme', hub.id.split('/')[1]!))!;
    await expireHubFiles({ catalog: gateway.catalog, limits: { uploadTtlMs: 0 } });
    const digests = [kept, gone].map(sha256);
    expect((await gateway.catalog.hub.blobs.find(id, digests)).map((blob) => blob.sha256)).toEqual([digests[0]]);
    expect(await hub.bytes('main', 'x.bin')).toEqual(kept);
    expectHubError(await hub.api('POST', '/super-squash/none', {}), 404, 'RevisionNotFound');
  });
});

describe('a repository', () => {
  it('is moved with all it has, and deleted with all it has', async () => {
    const hub = await newRepository();
    const commit = await hub.push({ 'model.safetensors': weights }, 'step 1');
    await gateway.encode();
    ok(await hub.ask('POST', '/api/repos/move', { fromRepo: hub.id, toRepo: 'else/where' }));
    expectHubError(await hub.api('GET', ''), 404, 'RepoNotFound');
    const moved = new HubClient(call, 'else/where');
    expect(await moved.bytes(commit, 'model.safetensors')).toEqual(weights);
    expect(await moved.bytes('step-1', 'model.safetensors')).toEqual(weights);
    await newRepository();
    expectHubError(
      await hub.ask('POST', '/api/repos/move', { fromRepo: 'else/where', toRepo: `acme/whole-${made}` }),
      409,
    );
    await moved.push({ 'model.safetensors': safetensors({ w: { shape: [64], values: ramp(64, 2) } }) }, 'step 2');
    expectHubError(await moved.ask('DELETE', '/api/repos/delete', { name: 'else/where/x' }), 404, 'RepoNotFound');
    // The second step still waits to be compressed.
    ok(await moved.ask('DELETE', '/api/repos/delete', { organization: 'else', name: 'where' }));
    expectHubError(await moved.api('GET', ''), 404, 'RepoNotFound');
    expectHubError(
      await moved.ask('DELETE', '/api/repos/delete', { organization: 'else', name: 'where' }),
      404,
      'RepoNotFound',
    );
    const again = await moved.create();
    expect(await again.paths()).toEqual([]);
    expect(await again.batch([weights])).toEqual([expect.any(String)]);
    expectHubError(await again.resolve(commit, 'model.safetensors'), 404, 'RevisionNotFound');
  });

  it('is not moved to a namespace whose quota has no room for it', async () => {
    const hub = await newRepository();
    await hub.push({ 'model.safetensors': weights }, 'step 1');
    await gateway.catalog.usage.setQuota('narrow', { storedBytesMax: weights.length - 1 });
    const move = { fromRepo: hub.id, toRepo: 'narrow/place' };
    expectHubError(await hub.ask('POST', '/api/repos/move', move), 403, 'quota-exceeded');
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights);
    await gateway.catalog.usage.setQuota('narrow', { storedBytesMax: 1_000_000 });
    ok(await hub.ask('POST', '/api/repos/move', move));
  });

  it('is private unless it is asked to be public', async () => {
    const hub = await newRepository();
    expect(ok(await hub.api('GET', '')).json.private).toBe(true);
    expect(ok(await hub.api('PUT', '/settings', { private: false })).json).toEqual({ private: false });
    expect(ok(await hub.api('GET', '')).json.private).toBe(false);
    expect(ok(await hub.api('PUT', '/settings', { visibility: 'private' })).json).toEqual({ private: true });
    expectHubError(await hub.api('PUT', '/settings', { visibility: 'secret' }), 400);
  });

  it('is not gated, whoever asks for that', async () => {
    const hub = await newRepository();
    for (const gated of ['auto', 'manual', true, 'yes']) {
      const refused = await hub.api('PUT', '/settings', { gated, private: false });
      expectHubError(refused, 400, 'invalid-request');
      expect(refused.json.error).toMatch(/gated/i);
    }
    for (const gated of [false, null, 'false'])
      expect(ok(await hub.api('PUT', '/settings', { gated })).json).toEqual({ private: true });
  });

  it('shares its name with no repository of another type', async () => {
    const hub = await newRepository();
    const [organization, name] = hub.id.split('/');
    const again = await hub.ask('POST', '/api/repos/create', { organization, name });
    expectHubError(again, 409);
    expect(again.json.url).toBe(`http://localhost/${hub.id}`);
    const other = await hub.ask('POST', '/api/repos/create', { organization, name, type: 'dataset' });
    expectHubError(other, 400, 'invalid-request');
    expect(other.json).toEqual({ error: expect.stringMatching(/model/) });
    expectHubError(await hub.ask('GET', `/api/datasets/${hub.id}`), 404, 'RepoNotFound');
  });

  it('is listed once among all, page after page', async () => {
    const made = Array.from({ length: 7 }, (_, i) => `pages/${'abcdefg'[i]}`);
    for (const [i, id] of made.entries()) await new HubClient(call, id).create(i === 3 ? { type: 'dataset' } : {});
    const found: string[] = [];
    let pages = 0;
    let next: string | undefined = '/api/models?author=pages&limit=2';
    while (next !== undefined) {
      const answer = ok(await call('GET', next));
      found.push(...answer.json.map(({ id }: { id: string }) => id));
      pages += 1;
      const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      next = link === undefined ? undefined : new URL(link).pathname + new URL(link).search;
    }
    expect(found).toEqual(made.filter((_, i) => i !== 3));
    expect(pages).toBe(3);
    for (const odd of ['limit=-1', 'limit=0.5', 'limit=x', 'cursor=', 'cursor=x', 'cursor=a/b/c', 'cursor=%00'])
      expect([200, 400], odd).toContain((await call('GET', `/api/models?author=pages&${odd}`)).status);
  });

  it.each(['a--b', 'a..b', '-a', 'a/b/c', '', 'x'.repeat(97), 'ü', 'a b', '~x'])('is not named %j', async (name) => {
    expectHubError(await call('POST', '/api/repos/create', { organization: 'acme', name }), 400);
  });
});

describe('a deletion', () => {
  it('goes on where a checkpoint becomes ready while it is about to be cancelled', async () => {
    const hub = await newRepository();
    await hub.push({ 'model.safetensors': weights }, 'step 1');
    const { checkpoints } = gateway.catalog;
    const unfinished = checkpoints.unfinished.bind(checkpoints);
    const listed = vi.spyOn(checkpoints, 'unfinished').mockImplementationOnce(async (...query) => {
      const found = await unfinished(...query);
      expect(found.map(({ state }) => state)).toEqual(['queued']);
      await gateway.encode();
      return found;
    });
    try {
      const [organization, name] = hub.id.split('/');
      ok(await call('DELETE', '/api/repos/delete', { organization, name }));
    } finally {
      listed.mockRestore();
    }
    expectHubError(await hub.api('GET', ''), 404, 'RepoNotFound');
  });
});

describe('a new repository', () => {
  it('has the files and the license that it is created with', async () => {
    const files = [
      { path: 'a.txt', content: Buffer.from('hi').toString('base64'), encoding: 'base64' },
      { path: 'd/b.txt', content: 'plain', encoding: 'utf-8' },
    ];
    const hub = await new HubClient(call, `acme/whole-${++made}`).create({ files, license: 'mit' });
    expect((await hub.paths()).sort()).toEqual(['README.md', 'a.txt', 'd/b.txt']);
    expect((await hub.bytes('main', 'a.txt')).toString()).toBe('hi');
    expect(ok(await hub.api('GET', '')).json).toMatchObject({ cardData: { license: 'mit' }, tags: ['license:mit'] });
    const bad = { organization: 'acme', name: 'bad', files: [{ path: '../x', content: '' }] };
    expectHubError(await call('POST', '/api/repos/create', bad), 400);
    expectHubError(await call('GET', '/api/models/acme/bad'), 404, 'RepoNotFound');
  });

  it('is refused in a namespace with which other addresses begin', async () => {
    for (const namespace of ['api', 'datasets', 'hub', 'metrics', 'models', 'spaces', 'v1']) {
      expectHubError(await call('POST', '/api/repos/create', { organization: namespace, name: 'x' }), 400);
      expect((await call('POST', '/v1/repositories', { namespace, name: 'x' })).status).toBe(400);
    }
    const hub = await newRepository();
    expectHubError(await call('POST', '/api/repos/move', { fromRepo: hub.id, toRepo: 'api/x' }), 400);
  });
});

describe('a model card', () => {
  it('says pipeline, library and tags of a model, and is validated', async () => {
    const hub = await newRepository();
    const card = '---\npipeline_tag: text-generation\ntags: [tiny]\n---\n# Tiny\n';
    await hub.commit([header(), file('README.md', card)]);
    const info = ok(await hub.api('GET', '')).json;
    expect(info).toMatchObject({ pipeline_tag: 'text-generation', tags: ['tiny', 'text-generation'] });
    ok(await call('POST', '/api/validate-yaml', { repoType: 'model', content: card }));
    const wrong = await call('POST', '/api/validate-yaml', { repoType: 'model', content: '---\na: [\n---\n' });
    expect([wrong.status, wrong.json.errors.length]).toEqual([400, 1]);
    for (const query of ['filter=tiny', 'pipeline_tag=text-generation'])
      expectHubError(await call('GET', `/api/models?${query}`), 400);
  });
});
