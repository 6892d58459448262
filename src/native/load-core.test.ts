import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Addon } from './addon.ts';
import { loadCore } from './load-core.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const addonPath = join(root, 'build', 'Release', 'firn_core.node');
/** Longer than any of these children takes; a child that hangs fails with its signal. */
const childTimeoutMs = 50_000;

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs `node ...args` to its end; a crash shows as a signal. */
function runNode(args: string[]): Promise<Ended> {
  return new Promise((settle, fail) => {
    const child = spawn(process.execPath, args, { cwd: root, timeout: childTimeoutMs, killSignal: 'SIGKILL' });
    let stdout = '',
      stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', fail);
    child.on('close', (code, signal) => settle({ code, signal, stdout, stderr }));
  });
}

/** Runs plain JavaScript with `addon`, and jobs that take a while, on a mapped file. */
function runWithAddon(body: string): Promise<Ended> {
  const prelude = `
    const addon = require(${JSON.stringify(addonPath)});
    async function startJobs(engine, count) {
      const input = new Uint8Array(addon.mapFile(engine, process.execPath), 0, 4 << 20);
      return Array.from({ length: count }, () => addon.convert(engine, input, 0, 2)[1]);
    }`;
  return runNode(['-e', `${prelude}\n${body}`]);
}

const clean = { code: 0, signal: null, stderr: '' };

describe('the core', () => {
  it('loads through tsx', async () => {
    const url = JSON.stringify(pathToFileURL(join(root, 'src/native/load-core.ts')).href);
    const ended = await runNode([
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `const { loadCore } = await import(${url}); console.log(loadCore({ threads: 2 ` +
        `}).crc32cSync(Buffer.from('123456789')))`,
    ]);
    expect(ended).toEqual({ ...clean, stdout: '3808858755\n' });
  });

  it('says how to build it when it is missing or broken', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-load-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const room of ['native', 'checkpoint', 'program-files.ts'])
      cpSync(join(root, 'src', room), join(folder, 'src', room), { recursive: true });
    const load = () =>
      runNode([
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        `await import(${JSON.stringify(pathToFileURL(join(folder, 'src/native/load-core.ts')).href)})
         .then(({ loadCore }) => loadCore()).catch((error) => console.log(error.code, error.message))`,
      ]);
    expect(await load()).toEqual({
      ...clean,
      stdout: 'internal The native core is not built: run npm run build:native.\n',
    });
    mkdirSync(join(folder, 'build', 'Release'), { recursive: true });
    writeFileSync(join(folder, 'build', 'Release', 'firn_core.node'), 'not a library');
    expect((await load()).stdout).toBe(
      'internal The native core does not load on this machine: run npm run build:native.\n',
    );
  });

  it('reports its threads and its instruction set', () => {
    expect(loadCore({ threads: 3 }).stats()).toEqual({
      threads: 3,
      queued: 0,
      running: 0,
      endedCalls: 0,
      endedMs: 0,
      simd: expect.stringMatching(/^(scalar|avx2|avx512)$/),
    });
    expect(loadCore().stats().threads).toBeGreaterThanOrEqual(1);
  });

  it.each([{ threads: 0 }, { threads: 1.5 }, { queueMax: 0 }, { queueMax: 2 ** 21 }])(
    'refuses the options %j',
    (options) => {
      expect(() => loadCore(options)).toThrow(TypeError);
    },
  );
});

describe('the addon', () => {
  const addon = createRequire(import.meta.url)(addonPath) as Addon & Record<string, (...args: unknown[]) => unknown>;
  const engine = addon.init(1, 10);
  const counts = addon.createTokenCounts();
  const tables = addon.tokenCountsBuild(counts);

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['a plain object', {}],
    ['an array', []],
    ['a function', () => 0],
    ['another handle', tables],
    ['a proxy of the right one', new Proxy(counts, {})],
    ['a child of the right one', Object.create(counts)],
  ])('answers %s in place of a handle with a TypeError', (_, wrong) => {
    const four = new Uint8Array(4);
    expect(() => addon.tokenCountsPayloadBits(wrong as never)).toThrow(TypeError);
    expect(() => addon.tokenCountsMerge(counts, wrong as never)).toThrow(TypeError);
    expect(() => addon.tokenCountsAdd(engine, wrong as never, undefined, four, 4)).toThrow(TypeError);
    expect(() => addon.convert(wrong as never, four, 0, 1)).toThrow(TypeError);
    expect(() => addon.stats(wrong as never)).toThrow(TypeError);
  });

  it('answers any call without arguments, or with wrong ones, with a TypeError', () => {
    const takeAnEngineAlone = ['stats', 'deviceFigures', 'accountEngine', 'engineWithoutDevice', 'deviceAccount'];
    for (const name of Object.keys(addon).filter(
      (name) => name !== 'createTokenCounts' && name !== 'createContextCounts',
    )) {
      expect(() => addon[name]!(), name).toThrow(TypeError);
      expect(() => addon[name]!(...Array<unknown>(12).fill(Symbol('wrong'))), name).toThrow(TypeError);
      if (!takeAnEngineAlone.includes(name))
        expect(() => addon[name]!(engine, ...Array<unknown>(11).fill(Number.NaN)), name).toThrow(TypeError);
    }
  });

  it('checks lengths again', () => {
    const [three, four] = [new Uint8Array(3), new Uint8Array(4)];
    const invalid = 3;
    expect(addon.convert(engine, three, 0, 1)).toBe(invalid);
    expect(addon.dequantize(engine, four, 0, four, 4, -1, new Uint16Array())).toBe(invalid);
    expect(addon.tokenCountsAdd(engine, counts, three, four, 4)).toBe(invalid);
    expect(addon.tokenTablesDecode(engine, tables, four, three, 4, 4)).toBe(invalid);
    expect(addon.exactEncode(engine, three, undefined, 3)).toBe(invalid);
    expect(addon.exactDecode(engine, four, three, 3, 1, undefined)).toBe(invalid);
    expect(addon.exactDecode(engine, four, undefined, 3, 1, three)).toBe(invalid);
    expect(
      addon.assignLevels(engine, four, 0, undefined, 0, '', 1, 1, 0, 0, new Float32Array(257), -1, -1, undefined),
    ).toBe(invalid);
    expect(addon.assignLevels(engine, four, 0, four, 1, '', 1, 1, 0, 0, new Float32Array(1), -1, -1, undefined)).toBe(
      invalid,
    );
    expect(() => addon.sketchValues(engine, four, 0, '', new BigUint64Array(4))).toThrow(TypeError);
  });
});

describe('a process', () => {
  it('waits for its jobs, and not for the pool', async () => {
    const ended = await runWithAddon(`
      const engine = addon.init(2, 1000);
      startJobs(engine, 20).then(Promise.all.bind(Promise)).then((results) => console.log(results.length));`);
    expect(ended).toEqual({ ...clean, stdout: '20\n' });
  });

  it('ends cleanly with jobs waiting and running', async () => {
    const ended = await runWithAddon(`
      const engine = addon.init(2, 1000);
      startJobs(engine, 500).then(() => { console.log(addon.stats(engine).queued > 100); process.exit(0); });`);
    expect(ended).toEqual({ ...clean, stdout: 'true\n' });
  });

  it('ends cleanly when an exception is thrown with jobs waiting', async () => {
    const ended = await runWithAddon(`
      const engine = addon.init(2, 1000);
      startJobs(engine, 500).then(() => { throw new Error('on purpose'); });`);
    expect(ended).toMatchObject({ code: 1, signal: null, stderr: expect.stringContaining('on purpose') });
  });
});

describe('a worker thread', () => {
  it('has a core of its own and ends with jobs waiting and running', async () => {
    const ended = await runWithAddon(`
      const { Worker } = require('node:worker_threads');
      const code = \`
        const addon = require(${JSON.stringify(addonPath)});
        const engine = addon.init(2, 1000);
        const mapped = new Uint8Array(addon.mapFile(engine, process.execPath), 0, 4 << 20);
        const inputs = [mapped, new Uint8Array(4 << 20)];
        for (let i = 0; i < 500; i++) addon.convert(engine, inputs[i % 2], 0, 2);
        require('node:worker_threads').parentPort.postMessage('started');\`;
      (async () => {
        const mine = addon.init(1, 1000);
        for (let round = 0; round < 8; round++) {
          const worker = new Worker(code, { eval: true });
          await new Promise((next, fail) => worker.once('message', next).once('error', fail));
          await worker.terminate();
          await Promise.all(await startJobs(mine, 3));
        }
        console.log('ended');
      })();`);
    expect(ended).toEqual({ ...clean, stdout: 'ended\n' });
  });
});
