import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython, pythonMissing } from '../restart/find-python.ts';
import type { SeedOutcome } from './compare-resumed.ts';

/**
 * In ms. A quarter of a minute of work on one processor, most of it the hub's and PyTorch's; twenty times that on a
 * busy machine.
 */
const deadlineMs = 280_000;
const bench = fileURLToPath(new URL('../state.ts', import.meta.url));

const python = findPython(process.env.FIRN_PYTHON);
if (python === undefined) console.warn(`compare-resumed.test.ts: skipped, ${pythonMissing}.`);

describe.skipIf(python === undefined)(
  `a tiny training that is resumed${python === undefined ? ' (skipped: no Python with PyTorch)' : ''}`,
  () => {
    let directory: string;
    let outcome: SeedOutcome;
    let markdown: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'firn-state-test-'));
      const json = join(directory, 'report.json');
      const tiny = [
        '--threshold',
        '0.05',
        '--seeds',
        '1',
        '--steps',
        '16',
        '--train-args=--checkpoints 4 --width 16 --layers 1',
      ];
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', bench, ...tiny, '--json', json],
        { timeout: deadlineMs },
      );
      markdown = stdout;
      [outcome] = (JSON.parse(await readFile(json, 'utf8')) as { resumed: [SeedOutcome] }).resumed;
    }, deadlineMs + 20_000);

    afterAll(() => rm(directory, { recursive: true, force: true }));

    const arm = (run: string) => outcome.arms.find((each) => each.run === run)!;

    test('resumes into the unbroken run, to the last bit, from what was stored exact', () => {
      expect(arm('exact').final).toBe(outcome.unbroken);
    });

    test.each(['bitsnap', 'bounded', 'full'])('resumes elsewhere, but near, from moments that were not: %s', (run) => {
      expect(arm(run).final).not.toBe(outcome.unbroken);
      expect(Math.abs(arm(run).final / outcome.unbroken - 1)).toBeLessThan(0.2);
    });

    test('the report has a row for every way to keep state, and the command that prints it', () => {
      for (const { describe: name } of outcome.arms) expect(markdown).toContain(`| ${name} |`);
      expect(markdown).toContain('npm run bench:state -- --threshold 0.05 --seeds 1');
    });

    test('no way to keep state takes what another has stored', () => {
      expect(arm('weights').storedBytes).toBeGreaterThan(arm('weights').rawBytes / 3);
    });

    test('bounded moments take a fraction of what the clusters take', () => {
      expect(arm('bounded').rawBytes / arm('bounded').storedBytes).toBeGreaterThan(
        (1.4 * arm('bitsnap').rawBytes) / arm('bitsnap').storedBytes,
      );
    });
  },
);
