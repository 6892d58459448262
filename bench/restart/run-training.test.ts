import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSafetensorsHeader } from '../../src/checkpoint/safetensors/parse-safetensors.ts';
import { findPython, pythonMissing } from './find-python.ts';
import { ownScript, ownTexts } from './own-training.ts';
import { runTraining, trunk, type TrainingCheckpoint, type TrainingStart } from './run-training.ts';

/** In ms. Some seconds of work, most of it PyTorch's start; many times that on a busy machine. */
const deadlineMs = 120_000;
const steps = 6;

const python = findPython(process.env.FIRN_PYTHON);
if (python === undefined) console.warn(`run-training.test.ts: skipped, ${pythonMissing}.`);

const skipped = python === undefined ? ' (skipped: no Python with PyTorch)' : '';
describe.skipIf(python === undefined).each(['adamw', 'sgd'])(
  `bf16 weights with masters, by %s, restarted half-way${skipped}`,
  (optimizer) => {
    let directory: string;
    let state: string;
    let weights: Buffer;
    /** Final losses by branch. */
    const finals = new Map<string, number>();

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'firn-training-test-'));
      state = join(directory, 'state.safetensors');
      const out = join(directory, 'out');
      await mkdir(out);
      const size = ['--steps', String(steps), '--checkpoints', '2', '--width', '16', '--layers', '1'];
      await runTraining(
        {
          pythonPath: python!.path,
          script: ownScript,
          arguments: [out, '--text', ...ownTexts(), ...size, '--optimizer', optimizer, '--masters'],
          seedShift: 0,
          directory,
        },
        {
          begin: () => Promise.resolve(),
          decide: async ({ branch, step, file, metrics, state: hasState }: TrainingCheckpoint) => {
            if (step === steps) {
              finals.set(branch, metrics.loss!);
              return { stop: true };
            }
            if (!hasState) return { saveState: state };
            weights = await readFile(file);
            const starts: Record<string, TrainingStart> = {
              kept: { load: file },
              stored: { load: file, loadState: state },
              fresh: { load: file, freshState: true },
            };
            const fork = Object.entries(starts).map(([name, start]) => ({
              branch: name,
              directory: join(directory, name),
              ...start,
            }));
            await Promise.all(fork.map((each) => mkdir(each.directory)));
            return { fork };
          },
        },
      );
    }, deadlineMs);

    afterAll(() => rm(directory, { recursive: true, force: true }));

    test('checkpoints are in bf16, and the state has a master and the moments of every parameter', async () => {
      const written = parseSafetensorsHeader(weights, weights.length).tensors;
      expect(new Set(written.map(({ dtype }) => dtype))).toEqual(new Set(['BF16']));
      const bytes = await readFile(state);
      const held = parseSafetensorsHeader(bytes, bytes.length).tensors.map(({ name }) => name);
      const kinds = optimizer === 'sgd' ? ['momentum_buffer', 'master'] : ['exp_avg', 'exp_avg_sq', 'master'];
      expect(held.sort()).toEqual(written.flatMap(({ name }) => kinds.map((kind) => `${kind}.${name}`)).sort());
    });

    test('state that comes back as it was leads into the unbroken run, to the last bit', () => {
      expect(finals.get('stored')).toBe(finals.get(trunk));
    });

    test('masters that are the loaded weights, and no state, lead elsewhere', () => {
      expect(new Set(finals.values()).size).toBe(3);
    });
  },
);
