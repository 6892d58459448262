import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it, onTestFinished } from 'vitest';

import { sketchWords, type NativeCore } from '../core.ts';
import { loadCore } from '../load-core.ts';
import { randomNumbers, randomWeights, sketchOf, valuesOf } from '../reference.test-support.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A sketch with values in every bucket: its optimal codebook takes some hundred milliseconds. */
const fullSketch = new BigUint64Array(sketchWords).fill(1n, 0, 32768);
function slowJob(core: NativeCore, signal?: AbortSignal): Promise<unknown> {
  return core.buildCodebook(
    fullSketch,
    48,
    { clustering: 'optimal', weighting: 'frequency', sigma: 0.2, seed: 0n },
    signal,
  );
}

async function untilRunning(core: NativeCore): Promise<void> {
  while (core.stats().running === 0) await new Promise((next) => setImmediate(next));
}

describe('a full queue', () => {
  it('refuses further jobs with overloaded and goes on afterwards', async () => {
    const core = loadCore({ threads: 1, queueMax: 2 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => slowJob(core)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'FirnError', code: 'overloaded' });
    expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await expect(slowJob(core)).resolves.toBeInstanceOf(Float32Array);
    expect(core.stats()).toMatchObject({ threads: 1, queued: 0, running: 0 });
  });

  it('counts the jobs that wait for their sketch too', async () => {
    const core = loadCore({ threads: 2, queueMax: 4 });
    const values = randomWeights(2_000_000, 'F32', 1);
    const sketch = new BigUint64Array(sketchWords);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => core.sketchValues({ weights: values, weightDtype: 'F32' }, sketch)),
    );
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(done).toBeLessThan(50);
    expect(sketch).toEqual(sketchOf(valuesOf(values, 'F32')).map((times) => times * BigInt(done)));
  });
});

describe('a cancelled job', () => {
  it('leaves the queue at once', async () => {
    const core = loadCore({ threads: 1 });
    const settled: string[] = [];
    // Several jobs, so that one of them is seen running even if this thread is delayed for longer than one job takes.
    const first = Promise.all(Array.from({ length: 8 }, () => slowJob(core))).then(() => settled.push('first'));
    await untilRunning(core);
    const abort = new AbortController();
    const reason = new Error('the client went away');
    const second = slowJob(core, abort.signal).catch((error: unknown) => {
      settled.push('second');
      return error;
    });
    const before = core.stats().queued;
    abort.abort(reason);
    expect(core.stats().queued).toBeLessThan(before);
    expect(await second).toMatchObject({ name: 'FirnError', code: 'cancelled', cause: reason });
    await first;
    expect(settled).toEqual(['second', 'first']);
  });

  it('rejects after its work has ended when it was running', async () => {
    const core = loadCore({ threads: 1 });
    const abort = new AbortController();
    const job = slowJob(core, abort.signal);
    await untilRunning(core);
    abort.abort();
    await expect(job).rejects.toMatchObject({ code: 'cancelled' });
    expect(core.stats()).toMatchObject({ queued: 0, running: 0 });
  });

  it('never starts when its signal has fired before', async () => {
    const core = loadCore({ threads: 1 });
    await expect(slowJob(core, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('lets the next job for the same sketch go on', async () => {
    const core = loadCore({ threads: 2 });
    const values = randomWeights(200_000, 'F32', 2);
    const sketch = new BigUint64Array(sketchWords);
    const aborts = Array.from({ length: 40 }, () => new AbortController());
    const jobs = aborts.map(({ signal }) => core.sketchValues({ weights: values, weightDtype: 'F32' }, sketch, signal));
    for (const [i, abort] of aborts.entries()) if (i % 3 === 0) abort.abort();
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes.map(({ status }) => status)).toEqual(
      aborts.map((_, i) => (i % 3 === 0 ? 'rejected' : 'fulfilled')),
    );
    await core.sketchValues({ weights: values, weightDtype: 'F32' }, sketch);
    const total = sketch.reduce((sum, times) => sum + times, 0n);
    expect(total % 200_000n).toBe(0n);
    expect(total).toBeGreaterThanOrEqual(27n * 200_000n);
  });
});

describe('many jobs at once', () => {
  it('each get their own result, under one signal and without a warning', async () => {
    const warnings: Error[] = [];
    const remember = (warning: Error) => void warnings.push(warning);
    process.on('warning', remember);
    onTestFinished(() => void process.off('warning', remember));
    const core = loadCore({ threads: 3 });
    const { signal } = new AbortController();
    const blocks = Array.from({ length: 200 }, (_, seed) => randomWeights(3000 + seed, 'BF16', seed));
    const wide = await Promise.all(blocks.map((block) => core.convert(block, 'BF16', 'F32', signal)));
    const narrow = await Promise.all(wide.map((block) => core.convert(block, 'F32', 'BF16', signal)));
    expect(narrow.every((block, i) => Buffer.from(block).equals(blocks[i]!))).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('add to one sketch and to one set of counts without losing any', async () => {
    const core = loadCore({ threads: 4 });
    const random = randomNumbers(3);
    const blocks = Array.from({ length: 200 }, () =>
      Uint8Array.from({ length: 400 }, () => Math.floor(random() ** 3 * 9)),
    );
    const sketch = new BigUint64Array(sketchWords);
    const together = core.createTokenCounts();
    await Promise.all(
      blocks.flatMap((block) => [
        core.sketchValues({ weights: block, weightDtype: 'F32' }, sketch),
        together.add({ current: block, modulus: 9 }),
      ]),
    );
    const apart = core.createTokenCounts();
    for (const block of blocks) await apart.add({ current: block, modulus: 9 });
    expect(together.build().serialize()).toEqual(apart.build().serialize());
    expect(sketch).toEqual(sketchOf(blocks.flatMap((block) => valuesOf(block, 'F32'))));
  });

  it('may be read while they run', async () => {
    const core = loadCore({ threads: 2 });
    const counts = core.createTokenCounts();
    const block = { current: randomWeights(60_000, 'BF16', 4), modulus: 256 };
    const adds = Array.from({ length: 30 }, () => counts.add(block));
    const other = core.createTokenCounts();
    for (let i = 0; i < 10; i++) {
      other.merge(counts);
      expect(other.payloadBits()).toBeGreaterThanOrEqual(0);
      expect(other.build().serialize()).toBeInstanceOf(Uint8Array);
    }
    await Promise.all(adds);
  });

  it('leave the event loop free', async () => {
    const core = loadCore({ threads: 1 });
    let turns = 0;
    let running = true;
    const job = slowJob(core).finally(() => {
      running = false;
    });
    while (running) {
      turns++;
      await new Promise((next) => setImmediate(next));
    }
    await job;
    expect(turns).toBeGreaterThan(10);
  });
});

describe('memory', () => {
  it('of inputs is pinned until the job has ended', async () => {
    const core = loadCore({ threads: 1 });
    const jobs = Array.from({ length: 60 }, (_, seed) =>
      core.convert(randomWeights(70_000, 'BF16', seed), 'BF16', 'F32'),
    );
    collectGarbage();
    for (const [seed, wide] of (await Promise.all(jobs)).entries()) {
      const narrow = await core.convert(wide, 'F32', 'BF16');
      expect(Buffer.from(narrow).equals(randomWeights(70_000, 'BF16', seed))).toBe(true);
    }
  });

  it('of results is given back when they are collected', async () => {
    const core = loadCore({ threads: 1 });
    const values = new Uint8Array(4 << 20);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 100; i++) await core.convert(values, 'BF16', 'F32');
    for (let i = 0; i < 5; i++) {
      collectGarbage();
      await new Promise((next) => setImmediate(next));
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
  });

  it('of a core nobody holds any more is given back, its threads included', async () => {
    for (let i = 0; i < 50; i++) await loadCore({ threads: 8 }).convert(new Uint8Array(4), 'F32', 'F16');
    for (let i = 0; i < 5; i++) {
      collectGarbage();
      await new Promise((next) => setImmediate(next));
    }
    const { readdirSync } = await import('node:fs');
    // Threads of the process on Linux; elsewhere they are not counted.
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0;
    expect(threads).toBeLessThan(200);
  });
});
