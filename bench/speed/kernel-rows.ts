import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { BarredRow } from './speed-table.ts';

const schema = z.object({
  isa: z.string(),
  rows: z.array(
    z.object({ name: z.string(), bytes: z.number(), ms: z.number(), spread: z.number(), memcpyRatio: z.number() }),
  ),
});

/** Rows of `npm run bench` that have a limit, by their names without the instruction set, and those limits. */
const barred: Readonly<Record<string, number>> = {
  'sketch f32': 0.5,
  'assign 16 bins, f32': 0.5,
  'assign 32 bins, f32': 0.5,
  'dequantize 18 levels, f32': 0.7,
  'dequantize 34 levels, f32': 0.7,
  'context decode 10 contexts, 1 % moved': 0.35,
  'context decode 10 contexts, 6 % moved': 0.35,
  'context decode 10 contexts, 10 % moved': 0.35,
};
/** Longest time of optimal and entropy-constrained codebooks of 32 bins each, in ms. */
const clusteringMsMax = 10;
const clusteringNames = ['codebook 32 bins, optimal', 'codebook 32 bins, entropy'];

/**
 * Runs the kernels whose names contain `only`, one by one, at the best instruction set of the machine. Throws if a
 * result is wrong.
 */
export function* kernelRows(only: string): Generator<BarredRow> {
  const directory = mkdtempSync(join(tmpdir(), 'firn-speed-'));
  try {
    for (const name of [...Object.keys(barred), ...clusteringNames]) {
      if (!name.includes(only)) continue;
      const path = join(directory, 'rows.json');
      const { status, stderr } = spawnSync('npm', ['run', '--silent', 'bench', '--', '--json', path, name], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      if (status !== 0) throw new Error(`npm run bench -- "${name}" ended with ${status}: ${String(stderr)}`);
      const { isa, rows } = schema.parse(JSON.parse(readFileSync(path, 'utf8')));
      const row = rows.find((found) => found.name === name || found.name === `${name}, ${isa}`);
      if (row === undefined) throw new Error(`npm run bench has no row ${name}`);
      const { bytes, ms, spread, memcpyRatio } = row;
      // A clustering handles no bytes: its limit is a time.
      const ratio = clusteringNames.includes(name)
        ? { memcpyRatio: clusteringMsMax / ms, bar: 1, name: `${name}, of ${clusteringMsMax} ms` }
        : { memcpyRatio, bar: barred[name]!, name };
      yield { bytes, seconds: ms / 1000, spread, ...ratio };
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
