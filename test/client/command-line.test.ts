import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { linearBatches, linearFile, linearGraph, linearSpec, strayGraph } from '../acceptance/trap-graph.ts';
import { firnProgram } from '../harness/firn-program.ts';

/** Deadline of one that runs many commands, on a busy machine, in ms. */
const manyCommandsMs = 300_000;
/** Kills of the interrupted push; HUB_PUSH_KILLS asks for more. */
const kills = Number(process.env['HUB_PUSH_KILLS'] ?? 8);
/** Deadline of all kills together, in ms: one takes a second on an idle machine. */
const killsMs = 120_000 + kills * 20_000;

let folder: string;
let hub: Hub;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firn-command-'));
  hub = await startHub({ dataDirectory: join(folder, 'data') });
});
afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: join(folder, 'config'), FIRN_URL: hub.url };
  return spawn(process.execPath, [...firnProgram, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function firn(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = start(...args);
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...text };
}

async function makeWeights(name: string, sizeBytes: number): Promise<Buffer> {
  const header = Buffer.from(JSON.stringify({ w: { dtype: 'U8', shape: [sizeBytes], data_offsets: [0, sizeBytes] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const bytes = Buffer.concat([length, header, randomBytes(sizeBytes)]);
  await writeFile(join(folder, name), bytes);
  return bytes;
}

test(
  'push makes what is missing, and what was pushed is listed, shown and pulled',
  async () => {
    const bytes = await makeWeights('a.safetensors', 60_000);
    expect(await firn('push', 'me/gpt/train@10', 'a.safetensors', '--wait')).toMatchObject({
      code: 0,
      out: expect.stringContaining('me/gpt/train@10: exact base') as string,
      err: expect.stringContaining('made the run train') as string,
    });
    expect((await firn('ls', 'me/gpt')).out).toMatch(/^train\texact\t/);
    expect((await firn('log', 'me/gpt/train')).out).toMatch(/^10\tready\tbase\texact\t/);
    expect(JSON.parse((await firn('show', 'me/gpt/train@latest', '--json')).out)).toMatchObject({ step: 10 });
    await mkdir(join(folder, 'output', 'checkpoint-20'), { recursive: true });
    await mkdir(join(folder, 'output', 'checkpoint-10'));
    await writeFile(join(folder, 'output', 'checkpoint-10', 'model.safetensors'), bytes);
    await writeFile(join(folder, 'output', 'checkpoint-10', '.hidden'), '');
    await writeFile(join(folder, 'output', 'final.safetensors'), bytes);
    const again = await firn('push', 'me/gpt/train', 'output');
    expect(again.out).toBe('me/gpt/train@10: there already, ready\n');
    const atRoot = 'output/final.safetensors';
    expect(again.err.trimEnd().split('\n')).toEqual([
      `${atRoot} is not pushed, only the folders checkpoint-N are; ` +
        `to push it, too: firn push me/gpt/train@STEP ${atRoot}`,
      'output/checkpoint-20 is left out: there is no file in it',
      '.hidden is left out: its name begins with a dot',
    ]);
    expect((await firn('pull', 'me/gpt/train', 'back')).code).toBe(0);
    expect(await readFile(join(folder, 'back', 'model.safetensors'))).toEqual(bytes);
  },
  manyCommandsMs,
);

async function reserve(run: string, step: number): Promise<void> {
  const reserved = await fetch(`${hub.url}/v1/repositories/me/gpt/runs/${run}/checkpoints`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ step }),
  });
  expect(reserved.status).toBe(201);
}

test(
  'a reserved step says that it waits, who comes after it what for, and both can be cancelled',
  async () => {
    await makeWeights('waits.safetensors', 20_000);
    expect((await firn('runs', 'create', 'me/gpt/waiting')).code).toBe(0);
    await reserve('waiting', 1);
    expect((await firn('show', 'me/gpt/waiting@1')).out).toMatch(
      /^outcome\topen: waits for files[^]*^go on\tfirn push/m,
    );
    expect((await firn('push', 'me/gpt/waiting@2', 'waits.safetensors')).code).toBe(0);
    expect((await firn('show', 'me/gpt/waiting@2')).out).toMatch(/^outcome\tqueued, waits for step 1, reserved /m);
    const watching = firn('watch', 'me/gpt/waiting@2');
    const busy = await firn('runs', 'delete', 'me/gpt/waiting@2', '--yes');
    expect([busy.code, busy.err]).toEqual([
      1,
      expect.stringMatching(/cancel it first: firn cancel me\/gpt\/waiting@2$/m),
    ]);
    expect(await firn('cancel', 'me/gpt/waiting@1')).toMatchObject({ code: 0, out: 'me/gpt/waiting@1: cancelled\n' });
    expect((await watching).out).toMatch(
      /: queued, waits for step 1, reserved [^]*; firn cancel me\/gpt\/waiting@1 gives that step up\n[^]*exact base/,
    );
    expect((await firn('show', 'me/gpt/waiting@2')).out).toMatch(/^why\texact: the run has no quality threshold/m);
    expect((await firn('cancel', 'me/gpt/waiting@2')).code).toBe(1);
  },
  manyCommandsMs,
);

test(
  'a push that is refused before it sends anything makes nothing',
  async () => {
    await makeWeights('unsent.safetensors', 20_000);
    for (const [code, args, said] of [
      [1, ['push', 'me/unmade/x', 'unsent.safetensors'], /Say which step unsent\.safetensors is/],
      [1, ['push', 'me/unmade/x@latest', 'unsent.safetensors'], /say the number of the step/],
      [1, ['push', 'me/unmade/x@1', 'unsent.safetensors', '--threshold', 'loss=1%'], /A threshold needs an eval set/],
      [4, ['push', 'me/unmade/x@1', 'unsent.safetensors', '--eval-set', 'none'], /no eval set none in me\/unmade/],
    ] as const)
      expect(await firn(...args)).toMatchObject({ code, err: expect.stringMatching(said) as string });
    expect((await firn('repos', 'list')).out).not.toMatch(/unmade/);
    expect(await firn('show', 'me/unmade/x@1')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/There is no repository me\/unmade/) as string,
    });
    expect((await firn('usage', 'nowhere')).code).toBe(4);
  },
  manyCommandsMs,
);

test(
  'a step that was cancelled and is pushed again says how to push it anew',
  async () => {
    await makeWeights('given-up.safetensors', 20_000);
    expect((await firn('runs', 'create', 'me/gpt/given-up')).code).toBe(0);
    await reserve('given-up', 1);
    expect((await firn('push', 'me/gpt/given-up@2', 'given-up.safetensors')).code).toBe(0);
    expect((await firn('cancel', 'me/gpt/given-up@2')).code).toBe(0);
    for (const wait of [[], ['--wait']])
      expect(await firn('push', 'me/gpt/given-up@2', 'given-up.safetensors', ...wait)).toMatchObject({
        code: 6,
        out: expect.stringMatching(/: there already, cancelled; to push it anew: firn runs delete me/) as string,
      });
    expect((await firn('cancel', 'me/gpt/given-up@1')).code).toBe(0);
    expect((await firn('runs', 'delete', 'me/gpt/given-up@2', '--yes')).code).toBe(0);
    expect((await firn('push', 'me/gpt/given-up@2', 'given-up.safetensors', '--wait')).code).toBe(0);
  },
  manyCommandsMs,
);

test(
  'a push that is refused for good leaves no step reserved, and says which step and file it was',
  async () => {
    await makeWeights('good.safetensors', 20_000);
    await writeFile(join(folder, 'bad.safetensors'), 'no safetensors at all');
    await mkdir(join(folder, 'half', 'checkpoint-30'), { recursive: true });
    await writeFile(join(folder, 'half', 'checkpoint-30', 'config.json'), '{}');
    expect((await firn('push', 'me/gpt/refused@20', 'good.safetensors')).code).toBe(0);
    for (const [target, path, place] of [
      ['me/gpt/refused', 'half', /me\/gpt\/refused@30 was refused, from half\/checkpoint-30\/config\.json: /],
      ['me/gpt/refused@40', 'bad.safetensors', /me\/gpt\/refused@40 was refused, from bad\.safetensors: /],
    ] as const) {
      const refused = await firn('push', target, path);
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(place) as string });
      expect(refused.err).toMatch(/the step is free: mend that, and push it again\.\n$/);
    }
    expect((await firn('log', 'me/gpt/refused')).out).toMatch(/^20\t[^\n]*\n$/);
    expect((await firn('push', 'me/gpt/refused@40', 'good.safetensors', '--wait')).code).toBe(0);
  },
  manyCommandsMs,
);

test('a command whose output nobody reads any more ends quietly', async () => {
  const child = start('completion', 'bash');
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number];
  expect([code, err]).toEqual([141, '']);
});

test(
  'a checkpoint that failed for its eval set is compressed again with another one',
  async () => {
    const files = {
      'stray.onnx': strayGraph(),
      'sound.onnx': linearGraph(),
      'batches.safetensors': linearBatches(),
      'spec.json': JSON.stringify(linearSpec),
      'falls.safetensors': linearFile(1, 1),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const upload = (name: string, graph: string, ...more: string[]) =>
      firn('eval-set', 'upload', 'me/linear', name, graph, 'batches.safetensors', '--spec', 'spec.json', ...more);
    expect(await upload('stray', 'stray.onnx')).toMatchObject({ code: 0 });
    const pushed = await firn('push', 'me/linear/train@1', 'falls.safetensors', '--eval-set', 'stray', '--wait');
    expect([pushed.code, pushed.out]).toEqual([6, expect.stringContaining('me/linear/train@1: failed: ')]);
    const pulled = await firn('pull', 'me/linear/train@1');
    expect([pulled.code, pulled.err]).toEqual([
      6,
      expect.stringMatching(/^firn pull: me\/linear\/train@1 failed: .*firn show me\/linear\/train@1 says/),
    ]);
    expect((await firn('show', 'me/linear/train@1')).out).toMatch(/^try again\tfirn retry me\/linear\/train@1\b/m);
    // The eval set is measured with the checkpoint before it is ready.
    expect(await upload('stray-too', 'stray.onnx', '--check', 'train@1')).toMatchObject({ code: 1 });
    expect(await upload('sound', 'sound.onnx', '--check', 'train@1')).toMatchObject({ code: 0 });
    expect((await firn('runs', 'edit', 'me/linear/train')).err).toContain('say what to change');
    const other = await firn('push', 'me/linear/train@2', 'falls.safetensors', '--eval-set', 'sound');
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('firn runs edit me/linear/train --eval-set')]);
    const edited = await firn('runs', 'edit', 'me/linear/train', '--eval-set', 'sound', '--threshold', 'error=40%');
    expect(edited.out).toMatch(/^me\/linear\/train: lossy; measured on sound; .*40 %/);
    const again = await firn('retry', 'me/linear/train@1', '--wait');
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^me\/linear\/train@1: (lossy|exact) base/m)]);
    expect(await firn('retry', 'me/linear/train@1')).toMatchObject({ code: 1 });
  },
  manyCommandsMs,
);

test(
  'repositories, runs and usage are made, changed, listed and deleted',
  async () => {
    const json = async (...args: string[]): Promise<unknown> => {
      const { code, out, err } = await firn(...args, '--json');
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    };
    expect(await json('repos', 'create', 'me/bert')).toMatchObject({ name: 'bert', visibility: 'private' });
    expect((await firn('repos', 'visibility', 'me/bert', 'public')).out).toBe(
      'me/bert: public, everybody can read it\n',
    );
    expect((await firn('repos', 'list', '--search', 'ber')).out).toMatch(/^me\/bert\tpublic\t[^\n]*\n$/);
    expect(await json('runs', 'create', 'me/bert/train')).toMatchObject({ name: 'train', fidelity: 'exact' });
    await makeWeights('b.safetensors', 20_000);
    expect((await firn('push', 'me/bert/train@5', 'b.safetensors', '--wait')).code).toBe(0);
    expect((await firn('runs', 'fork', 'me/bert/train@latest', 'train-2')).out).toMatch(
      /^me\/bert\/train-2: exact; forked from train@5; open\n$/,
    );
    expect((await firn('runs', 'close', 'me/bert/train')).out).toContain('closed: it takes no new steps');
    expect(await json('runs', 'open', 'me/bert/train')).toMatchObject({ final: false });
    expect(((await json('runs', 'list', 'me/bert')) as { name: string }[]).map(({ name }) => name).sort()).toEqual([
      'train',
      'train-2',
    ]);
    const lines = (await firn('usage', 'me/bert')).out.trimEnd().split('\n');
    const of = new Map(lines.map((line) => line.split('\t') as [string, string]));
    const total = lines.findIndex((line) => line.startsWith('stored, all of these'));
    const stored = lines.slice(1, total).reduce((sum, line) => sum + Number(line.split('\t')[1]), 0);
    expect(Number(of.get('stored, all of these'))).toBe(stored);
    expect(stored).toBeGreaterThan(20_000);
    expect((await firn('usage')).out).toMatch(/^me\t\d+\t\d+\t/m);
    expect((await firn('usage', 'nobody')).err).toMatch(/There is no namespace nobody/);
    expect(await json('runs', 'delete', 'me/bert/train-2', '--yes')).toEqual({ deleted: 'me/bert/train-2' });
    expect((await firn('runs', 'delete', 'me/bert/train@latest', '--yes')).out).toContain('me/bert/train@5 is deleted');
    expect((await firn('log', 'me/bert/train')).out).toBe('');
    expect((await firn('runs', 'list', 'me/bert')).out).toMatch(/^train\t[^\n]*\n$/);
    expect((await firn('repos', 'delete', 'me/bert', '--yes')).out).toContain('me/bert is deleted');
    expect((await firn('repos', 'list', '--search', 'ber')).out).toBe('');
  },
  manyCommandsMs,
);

test(
  'an eval set is uploaded, checked by it, and what it measures is shown against the threshold',
  async () => {
    const series = fileURLToPath(new URL('../../examples/lm-small/', import.meta.url));
    const files = [join(series, 'model.onnx'), join(series, 'eval.safetensors')];
    const made = await firn('eval-set', 'upload', 'me/lm', 'held-out', ...files);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/held-out is ready, with loss/) as string });
    expect((await firn('eval-set', 'upload', 'me/lm', 'held-out', ...files)).code).toBe(0);
    expect((await firn('eval-set', 'upload', 'me/lm', 'held-out', ...files.toReversed())).err).toMatch(/:/);
    expect((await firn('eval-set', 'list', 'me/lm')).out).toMatch(/^held-out\tready\tloss \(cross-entropy\)\t/);
    expect((await firn('eval-set', 'upload', 'me/lm', 'spare', ...files)).code).toBe(0);
    const deleted = await firn('eval-set', 'delete', 'me/lm', 'spare', '--yes', '--json');
    expect(JSON.parse(deleted.out)).toEqual({ deleted: 'me/lm spare' });
    expect((await firn('eval-set', 'list', 'me/lm')).out).toMatch(/^held-out\t[^\n]*\n$/);
    const checkpoint = (name: string) => join(series, `${name}.safetensors`);
    const at = ['--eval-set', 'held-out', '--threshold', 'loss=1%', '--wait'];
    expect((await firn('push', 'me/lm/train@1', checkpoint('ckpt_09'), ...at)).code).toBe(0);
    expect((await firn('push', 'me/lm/train@2', checkpoint('ckpt_10'), ...at)).code).toBe(0);
    const rows = (await firn('log', 'me/lm/train')).out.trimEnd().split('\n');
    expect(rows[1]).toMatch(/^2\tready\t\w+\tlossy\t\d+\t\d+\t[\d.]+\t[\d.]+\t[+-][\d.]+ % of 1 %\tresidual: step/);
    const best = await firn('log', 'me/lm/train', '--within', '1%', '--best', 'loss', '--json');
    const measured = (JSON.parse(best.out) as { result: { measured: { loss: number } } }[]).map(
      ({ result }) => result.measured.loss,
    );
    expect(measured).toEqual(measured.toSorted((a, b) => a - b));
    expect(measured).toHaveLength(2);
  },
  manyCommandsMs,
);

test(
  'tokens of a hub are made, listed and revoked',
  async () => {
    const made = await firn(
      'token',
      'create',
      '--name',
      'reader',
      '--grant',
      'read:me/gpt',
      '--expires',
      '1d',
      '--json',
    );
    const { id, token } = JSON.parse(made.out) as { id: string; token: string };
    expect(token).toMatch(/^hf_/);
    expect((await firn('token', 'list')).out).toMatch(new RegExp(`^${id}\t20[^\t]*\tread:me/gpt\treader$`, 'm'));
    expect((await firn('token', 'revoke', id)).out).toBe(`${id} is revoked\n`);
    expect((await firn('token', 'list')).out).toMatch(new RegExp(`^${id}\trevoked 20`, 'm'));
    const absent = await firn('token', 'create', '--name', 'x', '--grant', 'read:me/gtp', '--grant', 'read:me/gpt');
    expect([made.err, absent.err]).toEqual([
      '',
      expect.stringMatching(/^There is no repository me\/gtp yet; [^\n]*\n$/),
    ]);
    expect(absent.code).toBe(0);
  },
  manyCommandsMs,
);

test.each([
  [4, ['show', 'me/gpt/train@11'], /There is no/],
  [4, ['log', 'me/gpt/none'], /There is no run me\/gpt\/none: firn runs list me\/gpt lists/],
  [1, ['push', 'me/gpt/train@12', 'a.safetensors', '--eval-set', 'x'], /is there already, and exact; --eval-set x/],
  [4, ['pull', 'me/none/train'], /There is no repository me\/none that you may see: firn repos list /],
  [5, ['ls', '--url', 'http://127.0.0.1:9'], /cannot be reached: .*Is the hub running\?/],
  [1, ['push', 'me/gpt/train'], /missing required argument/],
  [1, ['ls', 'nothing'], /such as me\/tiny-gpt/],
])('exit code %i for firn %j, with a sentence', async (code, args, said) => {
  expect(await firn(...args)).toMatchObject({ code, err: expect.stringMatching(said) as string });
});

test(
  'a push that is killed at random moments again and again ends with the right bytes',
  async () => {
    const bytes = await makeWeights('large.safetensors', 48_000_000);
    const push = ['push', 'me/gpt/killed@1', 'large.safetensors', '--wait'];
    const usual = Date.now();
    await firn('ls');
    const startMs = Date.now() - usual;
    for (let killed = 0; killed < kills; killed++) {
      const child = start(...push);
      const ended = once(child, 'exit');
      await Promise.race([pause(startMs / 2 + Math.random() * startMs), ended]);
      child.kill('SIGKILL');
      await ended;
    }
    expect(await firn(...push)).toMatchObject({ code: 0 });
    expect((await firn('pull', 'me/gpt/killed@1', 'killed')).code).toBe(0);
    expect((await readFile(join(folder, 'killed', 'model.safetensors'))).equals(bytes)).toBe(true);
  },
  killsMs,
);
