import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { runOfBranch } from '../../hub/hub-context.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { ramp, safetensors } from '../safetensors.test-support.ts';
import { expectHubError, file, header, HubClient, lfsFile, ok, sha256 } from './hub-client.test-support.ts';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const newRepository = (): Promise<HubClient> => new HubClient(call, `acme/models-${++made}`).create();
const weights = (seed: number, shape: readonly number[] = [64, 32], name = 'w'): Buffer =>
  safetensors({
    [name]: {
      shape,
      values: ramp(
        shape.reduce((a, b) => a * b),
        seed,
      ),
    },
  });

/** Runs with their steps, and the states of these. */
async function runsOf(hub: HubClient): Promise<Record<string, string[]>> {
  const { items } = ok(await hub.ask('GET', `/v1/repositories/${hub.id}/runs`)).json;
  const found: Record<string, string[]> = {};
  for (const { name } of items) {
    const steps = ok(await hub.ask('GET', `/v1/repositories/${hub.id}/runs/${name}/checkpoints`)).json.items;
    found[name] = steps.map(({ step, state }: { step: number; state: string }) => `${step} ${state}`);
  }
  return found;
}

async function deleteStep(hub: HubClient, step: number, run = 'default'): Promise<void> {
  ok(await hub.ask('DELETE', `/v1/repositories/${hub.id}/runs/${run}/checkpoints/${step}`));
}

describe('the weights of a commit', () => {
  it('become a checkpoint also where no run can have the name of the branch', async () => {
    const hub = await newRepository();
    for (const [at, branch] of ['feature/x', 'feature-x', 'a@b', '\u00fcn\u00ef', 'exp--1'].entries()) {
      ok(await hub.api('POST', `/branch/${encodeURIComponent(branch)}`, {}));
      const commit = await hub.push({ 'model.safetensors': weights(at + 20) }, 'step 9', branch);
      const run = runOfBranch(branch);
      expect((await runsOf(hub))[run], branch).toEqual(['9 queued']);
      expect((await hub.tags())[`${run}/step-9`]).toBe(commit);
    }
    expect(Object.keys(await runsOf(hub))).toEqual(expect.arrayContaining(['feature-x', 'feature-x-217d2b']));
  });

  it('become a checkpoint of the run of the branch, and come back byte for byte, compressed or not', async () => {
    const hub = await newRepository();
    const versions = [weights(1), weights(2)];
    const commits: string[] = [];
    for (const [i, bytes] of versions.entries())
      commits.push(await hub.push({ 'model.safetensors': bytes }, `step ${i + 5}`));
    const check = async (): Promise<void> => {
      for (const [i, bytes] of versions.entries()) {
        expect(await hub.bytes(commits[i]!, 'model.safetensors')).toEqual(bytes);
        expect(await hub.bytes(`step-${i + 5}`, 'model.safetensors')).toEqual(bytes);
        const part = await hub.resolve(commits[i]!, 'model.safetensors', { range: 'bytes=1000-1999' });
        expect(part.bytes).toEqual(bytes.subarray(1000, 2000));
        const { headers } = await hub.resolve(commits[i]!, 'model.safetensors', {}, 'HEAD');
        expect(headers.get('etag')).toBe(`"${sha256(bytes)}"`);
      }
      expect(await hub.head()).toBe(commits[1]);
    };
    expect(await runsOf(hub)).toEqual({ default: ['5 queued', '6 queued'] });
    await check();
    await gateway.encode();
    expect(await runsOf(hub)).toEqual({ default: ['5 ready', '6 ready'] });
    await check();
    const tags = await hub.tags();
    expect([tags['step-5'], tags['step-6'], tags['default/step-5']]).toEqual([commits[0], commits[1], commits[0]]);
    const native = ok(
      await hub.ask('GET', `/v1/repositories/${hub.id}/runs/default/checkpoints/6/files/model.safetensors`),
    );
    expect(native.bytes).toEqual(versions[1]);
  });

  it('are gone with a clear error when the checkpoint is deleted, and can be pushed again', async () => {
    const hub = await newRepository();
    const [first, second] = [weights(1), weights(2)];
    const at = await hub.commit([header(), file('config.json', '{}')]);
    const old = await hub.push({ 'model.safetensors': first }, 'step 1');
    const kept = await hub.push({ 'model.safetensors': second }, 'step 2');
    await gateway.encode();
    await deleteStep(hub, 1);
    const gone = await hub.resolve(old, 'model.safetensors');
    expectHubError(gone, 404, 'EntryNotFound');
    expect(gone.json.error).toMatch(/deleted with their checkpoint/);
    expect((await hub.bytes(old, 'config.json')).toString()).toBe('{}');
    expect(await hub.bytes(kept, 'model.safetensors')).toEqual(second);
    expect(at).not.toBe(old);
    // What is not there any more has to be sent, and is then there at every revision.
    expect(await hub.batch([first, second])).toEqual([expect.any(String), undefined]);
    expect((await hub.tryCommit([header(), lfsFile('model.safetensors', first)])).status).toBe(409);
    await hub.push({ 'model.safetensors': first }, 'again');
    expect(await hub.bytes(old, 'model.safetensors')).toEqual(first);
    await gateway.encode();
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(first);
    expect((await runsOf(hub))['default']).toEqual(['2 ready', '3 ready']);
  });

  it('may partly be those of an earlier step: every step has its own, and outlives the others', async () => {
    const hub = await newRepository();
    const shard = (i: number): string => `model-0000${i}-of-00002.safetensors`;
    const [same, before, after] = [weights(1, [32, 32], 'a'), weights(2, [32, 32], 'b'), weights(3, [32, 32], 'b')];
    const first = await hub.push({ [shard(1)]: same, [shard(2)]: before }, 'step 1');
    await gateway.encode();
    const second = await hub.push({ [shard(1)]: same, [shard(2)]: after }, 'step 2');
    await gateway.encode();
    expect(await runsOf(hub)).toEqual({ default: ['1 ready', '2 ready'] });
    await deleteStep(hub, 1);
    expect(await hub.bytes(second, shard(1))).toEqual(same);
    expect(await hub.bytes(second, shard(2))).toEqual(after);
    expect(await hub.bytes('step-2', shard(1))).toEqual(same);
    // The shard that another step has, too, did not go with the first.
    expect(await hub.bytes(first, shard(1))).toEqual(same);
    expectHubError(await hub.resolve(first, shard(2)), 404, 'EntryNotFound');
  });

  it('are stored once when the same model is pushed twice, also under another path or branch', async () => {
    const hub = await newRepository();
    const bytes = weights(1);
    await hub.push({ 'model.safetensors': bytes }, 'step 1');
    await hub.push({ 'copy/model.safetensors': bytes }, 'step 2');
    await gateway.encode();
    ok(await hub.api('POST', '/branch/dev', { startingPoint: 'main' }));
    await hub.push({ 'third.safetensors': bytes }, 'step 3', 'dev');
    await hub.push({ 'a.safetensors': weights(2), 'b.safetensors': weights(2) }, 'step 4');
    await gateway.encode();
    expect(await runsOf(hub)).toMatchObject({ default: ['1 ready', '4 ready'] });
    for (const path of ['model.safetensors', 'copy/model.safetensors'])
      expect(await hub.bytes('main', path)).toEqual(bytes);
    expect(await hub.bytes('dev', 'third.safetensors')).toEqual(bytes);
    for (const path of ['a.safetensors', 'b.safetensors']) expect(await hub.bytes('main', path)).toEqual(weights(2));
  });

  it('in folders of a Trainer are steps of one run, in the order of the steps', async () => {
    const hub = await newRepository();
    const steps = [1000, 200, 30];
    const files = Object.fromEntries(steps.map((step) => [`checkpoint-${step}/model.safetensors`, weights(step)]));
    await hub.push({ ...files, 'model.safetensors': weights(7) }, 'End of training');
    await gateway.encode();
    expect(await runsOf(hub)).toEqual({ default: ['30 ready', '200 ready', '1000 ready', '1001 ready'] });
    for (const step of steps)
      expect(await hub.bytes('main', `checkpoint-${step}/model.safetensors`)).toEqual(weights(step));
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(7));
  });

  it('in the folder of a step have its tag, although a title gave the step to other weights before', async () => {
    const hub = await newRepository();
    const first = await hub.push({ 'model.safetensors': weights(4) }, 'Training in progress, step 2');
    expect((await hub.tags())['step-2']).toBe(first);
    const folders = {
      'checkpoint-2/model.safetensors': weights(2),
      'checkpoint-4/model.safetensors': weights(4),
      'checkpoint-5/model.safetensors': weights(2),
    };
    const second = await hub.push(folders, 'Training in progress, step 4');
    const tagged = ['step-2', 'default/step-2', 'step-4', 'default/step-4', 'step-5'];
    const expectTags = async (): Promise<void> => {
      const tags = await hub.tags();
      expect(tagged.map((name) => [name, tags[name]])).toEqual(tagged.map((name) => [name, second]));
    };
    await expectTags();
    await gateway.encode();
    await expectTags();
    expect(await hub.bytes('step-2', 'checkpoint-2/model.safetensors')).toEqual(weights(2));
    expect(await hub.bytes('step-4', 'checkpoint-4/model.safetensors')).toEqual(weights(4));
    // Other weights in a folder of the same name are another attempt, which does not take the tag.
    await hub.push({ 'checkpoint-2/model.safetensors': weights(3) }, 'again');
    await expectTags();
  });

  it('in the folder of a step leave its tag where it is if the title was right, or if a person made it', async () => {
    const hub = await newRepository();
    const first = await hub.push({ 'model.safetensors': weights(2) }, 'step 2');
    ok(await hub.api('POST', `/tag/${first}`, { tag: 'step-9' }));
    await hub.push({ 'checkpoint-2/model.safetensors': weights(2) }, 'step 9');
    await hub.push({ 'checkpoint-9/model.safetensors': weights(9) }, 'step 9');
    const tags = await hub.tags();
    expect([tags['step-2'], tags['default/step-2'], tags['step-9']]).toEqual([first, first, first]);
    expect(tags['default/step-9']).toBe(await hub.head());
  });

  it('go to a run beside which git allows the tags that exist', async () => {
    const hub = await newRepository();
    ok(await hub.api('POST', '/branch/exp', {}));
    ok(await hub.api('POST', '/tag/main', { tag: 'exp' }));
    const commit = await hub.push({ 'model.safetensors': weights(1) }, 'step 1', 'exp');
    expect(await runsOf(hub)).toEqual({ 'exp-2': ['1 queued'] });
    expect(await hub.tags()).toMatchObject({ 'exp-2/step-1': commit });
  });

  it('take their step from trainer_state.json beside them, which counts more than the title', async () => {
    const hub = await newRepository();
    await hub.upload(weights(1));
    const state = file('trainer_state.json', JSON.stringify({ global_step: 77 }));
    await hub.commit([header('step 5'), state, lfsFile('model.safetensors', weights(1))]);
    await hub.push({ 'model.safetensors': weights(2) }, 'no number');
    await hub.push({ 'model.safetensors': weights(3) }, 'step 77');
    expect(await runsOf(hub)).toEqual({ default: ['77 queued', '78 queued', '79 queued'] });
  });

  it('take their step from a trainer_state.json that was uploaded as a large file, too', async () => {
    const hub = await newRepository();
    const stateOf = (step: number, logged: number): Buffer =>
      Buffer.from(
        JSON.stringify({
          best_metric: null,
          log_history: Array.from({ length: logged }, (_, i) => ({
            global_step: i,
            loss: 1.5,
            text: '"global_step": 3',
          })),
          global_step: step,
        }),
      );
    await hub.push({ 'model.safetensors': weights(1), 'trainer_state.json': stateOf(77, 90_000) }, 'step 5');
    await hub.push({ 'model.safetensors': weights(2), 'trainer_state.json': stateOf(80, 0) }, 'no number');
    // Beside other weights, or beside a folder that says its step, it does not count.
    await hub.push({ 'model.safetensors': weights(3), 'logs/trainer_state.json': stateOf(90, 0) }, 'no number');
    const folder = {
      'checkpoint-95/model.safetensors': weights(4),
      'checkpoint-95/trainer_state.json': stateOf(96, 0),
    };
    await hub.push(folder, 'no number');
    await hub.push({ 'model.safetensors': weights(5), 'trainer_state.json': Buffer.from('no JSON') }, 'step 98');
    expect(await runsOf(hub)).toEqual({ default: ['77 queued', '80 queued', '81 queued', '95 queued', '98 queued'] });
  });

  it('without a step get one above all that the run ever had, also when these were deleted', async () => {
    const hub = await newRepository();
    await hub.push({ 'model.safetensors': weights(1) }, 'step 1');
    await hub.push({ 'model.safetensors': weights(2) }, 'step 2');
    await gateway.encode();
    for (const step of [1, 2]) await deleteStep(hub, step);
    const commit = await hub.push({ 'model.safetensors': weights(3) }, 'no number');
    await hub.push({ 'unet/model.safetensors': weights(4) }, 'no number either');
    expect(await runsOf(hub)).toEqual({ default: ['3 queued'], 'default.unet': ['0 queued'] });
    expect((await hub.tags())['step-3']).toBe(commit);
  });

  it('with other tensors go to another run of the branch', async () => {
    const hub = await newRepository();
    await hub.push({ 'model.safetensors': weights(1) }, 'step 1');
    await hub.push({ 'model.safetensors': weights(2, [8, 8]) }, 'step 2');
    await hub.push({ 'model.safetensors': weights(3) }, 'step 3');
    await hub.push({ 'unet/model.safetensors': weights(4) }, 'step 4');
    await gateway.encode();
    const runs = { default: ['1 ready', '3 ready'], 'default-2': ['2 ready'], 'default.unet': ['4 ready'] };
    expect(await runsOf(hub)).toEqual(runs);
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(3));
    expect(await hub.bytes('main', 'unet/model.safetensors')).toEqual(weights(4));
    expect(await hub.paths('main')).toEqual(['model.safetensors', 'unet/model.safetensors']);
  });

  it('that are no weights stay plain files', async () => {
    const hub = await newRepository();
    const odd: Record<string, Buffer> = {
      'broken.safetensors': Buffer.from('not a header'),
      'cut/model.safetensors': weights(1).subarray(0, 200),
      'no-tensors/model.safetensors': safetensors({}),
      'tail/model.safetensors': Buffer.concat([weights(3), Buffer.from('x')]),
      'model.bin': weights(2),
    };
    await hub.push(odd, 'step 1');
    await hub.commit([header(), file('inline.safetensors', 'x'), file('empty.safetensors', '')]);
    for (const [path, bytes] of Object.entries(odd)) expect(await hub.bytes('main', path), path).toEqual(bytes);
    await gateway.encode();
    for (const [path, bytes] of Object.entries(odd)) expect(await hub.bytes('main', path), path).toEqual(bytes);
  });

  it('do not become checkpoints in a data set', async () => {
    const hub = new HubClient(call, `acme/data-${++made}`);
    await hub.create({ type: 'dataset' });
    const bytes = weights(1);
    const batch = await hub.ask('POST', `/datasets/${hub.id}.git/info/lfs/objects/batch`, {
      operation: 'upload',
      objects: [{ oid: sha256(bytes), size: bytes.length }],
    });
    const { pathname, search } = new URL(ok(batch).json.objects[0].actions.upload.href);
    ok(await call('PUT', pathname + search, bytes));
    const lines = [header('step 1'), lfsFile('model.safetensors', bytes)]
      .map((line) => JSON.stringify(line))
      .join('\n');
    ok(await hub.ask('POST', `/api/datasets/${hub.id}/commit/main`, Buffer.from(lines)));
    expect(await runsOf(hub)).toEqual({});
    expect(ok(await hub.ask('GET', `/datasets/${hub.id}/resolve/main/model.safetensors`)).bytes).toEqual(bytes);
  });

  it('are made once when the commit is repeated, and leave no checkpoint when it is refused', async () => {
    const hub = await newRepository();
    const bytes = weights(1);
    await hub.upload(bytes);
    const refused = [
      header('step 1'),
      lfsFile('model.safetensors', bytes),
      { key: 'deletedFile', value: { path: 'x' } },
    ];
    expect((await hub.tryCommit(refused)).status).toBe(404);
    expect(await runsOf(hub)).toEqual({});
    const lines = [header('step 1'), lfsFile('model.safetensors', bytes)];
    await Promise.all([hub.commit(lines), hub.commit(lines), hub.commit(lines)]);
    await gateway.encode();
    expect(await runsOf(hub)).toEqual({ default: ['1 ready'] });
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(bytes);
  });
});

describe('native checkpoints seen by hub clients', () => {
  const push = async (hub: HubClient, run: string, step: number, bytes: Buffer): Promise<void> => {
    ok(await hub.ask('PUT', `/v1/repositories/${hub.id}/runs/${run}/checkpoints/${step}`, bytes));
    await gateway.encode();
  };
  const newRun = async (hub: HubClient, name: string): Promise<void> =>
    void ok(await hub.ask('POST', `/v1/repositories/${hub.id}/runs`, { name, fidelity: 'exact' }));

  it('are branches and tags without any commit, and main is the default run', async () => {
    const hub = new HubClient(call, `acme/models-${++made}`);
    const [namespace, name] = hub.id.split('/');
    ok(await hub.ask('POST', '/v1/repositories', { namespace, name }));
    expectHubError(await hub.resolve('main', 'model.safetensors'), 404, 'RevisionNotFound');
    expect(ok(await hub.api('GET', '')).json.siblings).toEqual([]);
    await newRun(hub, 'old');
    await newRun(hub, 'young');
    await push(hub, 'young', 1, weights(1));
    await push(hub, 'old', 3, weights(3));
    await push(hub, 'old', 4, weights(4));
    // No run is named default, so the oldest is the main one.
    for (const revision of ['main', 'old', 'step-4', 'old/step-4', 'refs/heads/old', 'refs/tags/step-4'])
      expect(await hub.bytes(revision, 'model.safetensors'), revision).toEqual(weights(4));
    expect(await hub.bytes('young', 'model.safetensors')).toEqual(weights(1));
    for (const revision of ['step-1', 'young/step-3', 'step-04', 'old/step-5', 'step-'])
      expectHubError(await hub.resolve(revision, 'model.safetensors'), 404, 'RevisionNotFound');
    await newRun(hub, 'default');
    await push(hub, 'default', 9, weights(9));
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(9));
    const { branches, tags } = ok(await hub.api('GET', '/refs')).json;
    expect(branches.map(({ name: each }: { name: string }) => each).sort()).toEqual(['main', 'old', 'young']);
    expect(tags.map(({ name: each }: { name: string }) => each).sort()).toEqual([
      'default/step-9',
      'old/step-3',
      'old/step-4',
      'step-9',
      'young/step-1',
    ]);
    for (const { targetCommit } of [...branches, ...tags]) ok(await hub.resolve(targetCommit, 'model.safetensors'));
  });

  it('are what the branch shows while they are newer than its commits', async () => {
    const hub = await newRepository();
    await newRun(hub, 'default');
    await hub.commit([header('first'), file('README.md', 'text')]);
    await nextSecond();
    await push(hub, 'default', 1, weights(1));
    const shown = await hub.head();
    expect(await hub.paths()).toEqual(['model.safetensors']);
    await nextSecond();
    const commit = await hub.commit([header('second', { parentCommit: shown }), file('new.txt', 'x')]);
    expect(await hub.head()).toBe(commit);
    expect(await hub.paths()).toEqual(['model.safetensors', 'new.txt']);
    expect(await hub.bytes('main', 'model.safetensors')).toEqual(weights(1));
    expect((await hub.history()).slice(0, 2)).toEqual([commit, shown]);
    expect(await hub.paths(shown)).toEqual(['model.safetensors']);
  });

  it('never take the place of a commit that came after them, however soon', async () => {
    for (let i = 0; i < 4; i++) {
      const hub = await newRepository();
      await newRun(hub, 'default');
      await push(hub, 'default', 1, weights(1));
      const commit = await hub.commit([header('at once'), file('new.txt', 'x')]);
      expect(await hub.head()).toBe(commit);
      const next = await hub.commit([header('and again'), file('next.txt', 'x')]);
      expect(await hub.head()).toBe(next);
      expect(await hub.paths()).toContain('new.txt');
    }
  });

  it('that are ready only after a commit of the same second do not hide it', async () => {
    const hub = await newRepository();
    await newRun(hub, 'default');
    await nextSecond();
    ok(await hub.ask('PUT', `/v1/repositories/${hub.id}/runs/default/checkpoints/1`, weights(1)));
    const commit = await hub.commit([header(), file('new.txt', 'x')]);
    await gateway.encode();
    expect(await hub.head()).toBe(commit);
    expect(await hub.bytes('step-1', 'model.safetensors')).toEqual(weights(1));
  });

  it('stay what the branch shows when another branch or a tag is made at them', async () => {
    const hub = await newRepository();
    await newRun(hub, 'default');
    await hub.commit([header(), file('README.md', 'x')]);
    await nextSecond();
    await push(hub, 'default', 1, weights(1));
    const shown = await hub.head();
    ok(await hub.api('POST', '/branch/dev', { startingPoint: 'main' }));
    ok(await hub.api('POST', '/tag/main', { tag: 'v1' }));
    for (const revision of ['main', 'dev', 'v1']) expect(await hub.head(revision), revision).toBe(shown);
    expect(await hub.bytes('dev', 'model.safetensors')).toEqual(weights(1));
  });

  /** Commits have whole seconds. */
  async function nextSecond(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000) + 5));
  }
});
