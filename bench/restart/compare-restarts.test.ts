import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RestartReport } from './compare-restarts.ts';
import { findPython, pythonMissing } from './find-python.ts';

/**
 * In ms. Half a minute of work on one processor, most of it the hub's and PyTorch's; ten times that on a busy machine.
 */
const deadlineMs = 280_000;
const bench = fileURLToPath(new URL('../restart.ts', import.meta.url));

const python = findPython(process.env.FIRN_PYTHON);
if (python === undefined) console.warn(`compare-restarts.test.ts: skipped, ${pythonMissing}.`);

describe.skipIf(python === undefined)(
  `a tiny training with restarts${python === undefined ? ' (skipped: no Python with PyTorch)' : ''}`,
  () => {
    let directory: string;
    let report: RestartReport;
    let document: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'firn-restart-test-'));
      const [json, into] = [join(directory, 'report.json'), join(directory, 'report.md')];
      await writeFile(into, '# Report\n');
      const tiny = ['--exact', '--threshold', '0.05', '--paper-threshold', '', '--seeds', '2', '--restarts', '2'];
      const training = ['--train-args=--steps 16 --checkpoints 4 --width 16 --layers 1'];
      await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', bench, ...tiny, ...training, '--json', json, '--into', into],
        { timeout: deadlineMs },
      );
      report = JSON.parse(await readFile(json, 'utf8')) as RestartReport;
      document = await readFile(into, 'utf8');
    }, deadlineMs + 20_000);

    afterAll(() => rm(directory, { recursive: true, force: true }));

    const of = (run: string) => report.outcomes.filter(({ arm }) => arm.run === run);
    const lossy = 'residual-0-05';

    test('every arm, plan and seed has an outcome', () => {
      expect(report).toMatchObject({
        checkpointCount: 4,
        lastStep: 16,
        bounded: ['loss'],
        metric: 'loss',
        metricHigherIsBetter: false,
      });
      for (const run of ['exact', lossy])
        expect(of(run).map(({ plan, seed }) => `${seed}: ${plan}`)).toEqual(
          [1, 2].flatMap((seed) => [`${seed}: 1, half-way`, `${seed}: 1, near the end`, `${seed}: 2`]),
        );
    });

    test('what is stored exactly restarts into the unbroken run, to the last bit', () => {
      for (const { unbroken, restarted } of of('exact')) expect(restarted).toBe(unbroken);
    });

    test('quantized weights lead elsewhere, from fewer bytes', () => {
      expect(of(lossy).some(({ unbroken, restarted }) => restarted !== unbroken)).toBe(true);
      for (const { unbroken, restarted, bytes } of of(lossy)) {
        expect(Math.abs(restarted / unbroken - 1)).toBeLessThan(0.2);
        expect(bytes.raw / bytes.stored).toBeGreaterThan(2);
      }
    });

    test('seeds differ', () => {
      const [first, second] = [1, 2].map((seed) => of('exact').find((outcome) => outcome.seed === seed)!);
      expect(first!.unbroken).not.toBe(second!.unbroken);
    });

    test('the document has the table, with the command that prints it', () => {
      expect(document).toContain('| 5 % | Firn (residual) | 2 | 2 |');
      expect(document).toContain('npm run bench:restart -- --exact --threshold 0.05');
    });
  },
);
