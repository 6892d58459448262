/**
 * Speed relative to memcpy, on one processor, through the code that the hub runs, with lower limits for each row. npm
 * run bench:speed -- [--layers 2] [--drift 0.08] [--step -32] [--only TEXT] [--json FILE]
 *
 * A synthetic GPT-like model (134 MB with two layers) and a drifted successor are quantized with a given step.
 * `restore` streams the file from packages in memory to a reader in memory. `encode` takes the file in memory, plans
 * steps, quantizes, and writes a package in memory. `put to ready` is a hub process behind HTTP with its data directory
 * on disk. Kernels are those of `npm run bench`. Every row is the median of its rounds, each beside a copy of as many
 * bytes as the model's file. `by cpu` compares processor times instead of elapsed times, which other work on the
 * machine disturbs less. `chain` and `download` rows compare a chain of packages with its base instead: 1 means three
 * times the base's time. Linux' taskset puts all work of a row on one processor. Exit code 1 if a limit is missed in
 * elapsed time.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadCore } from '../src/native/load-core.ts';
import { chainRows } from './speed/chain-rows.ts';
import { downloadRows } from './speed/download-rows.ts';
import { kernelRows } from './speed/kernel-rows.ts';
import { putToReady } from './speed/put-to-ready.ts';
import { hasTaskset } from './speed/one-core.ts';
import { rowLine, tableHead, type BarredRow } from './speed/speed-table.ts';
import { StoredSeries } from './speed/stored-series.ts';
import { syntheticCheckpoints } from './speed/synthetic-model.ts';
import { timedRounds } from './speed/timed-rounds.ts';

const { values: options } = parseArgs({
  options: {
    layers: { type: 'string', default: '2' },
    drift: { type: 'string', default: '0.08' },
    step: { type: 'string', default: '-32' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    pinned: { type: 'boolean', default: false },
  },
});

/** Least ratios to memcpy. */
const bars = { restore: 0.15, encode: 0.05, putToReady: 0.01 };

/** The processor for the work: the last one, because interrupts tend to go to the first. */
const cpu = availableParallelism() - 1;

if (!options.pinned && hasTaskset()) {
  const argv = [
    '-c',
    String(cpu),
    process.execPath,
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    ...process.argv.slice(2),
    '--pinned',
  ];
  process.exit(spawnSync('taskset', argv, { stdio: 'inherit' }).status ?? 1);
}

const rows: BarredRow[] = [];
function report(row: BarredRow): void {
  rows.push(row);
  process.stdout.write(`${rowLine(row)}\n`);
}

async function seriesRows(): Promise<void> {
  const core = loadCore({ threads: 1 });
  const [first, second] = [
    ...syntheticCheckpoints({ layers: Number(options.layers), drift: Number(options.drift) }, 2),
  ] as [Uint8Array, Uint8Array];
  const series = new StoredSeries(core, Number(options.step));
  const [plannedFirst, plannedSecond] = [await series.plan(first, 'first'), await series.plan(second, 'second')];
  const base = await series.encode(plannedFirst, 0, []);
  const delta = await series.encode(plannedSecond, 1, [base]);
  await series.check(plannedFirst, [base]);
  await series.check(plannedSecond, [delta, base]);
  const percent = (100 * (delta.encoded.migration ?? 0)).toFixed(1);
  process.stdout.write(
    `  ${first.length} bytes a checkpoint; base ${base.sizeBytes}, delta ${delta.sizeBytes} bytes at ` +
      `${percent} % migration; ${core.stats().simd}\n`,
  );
  const cases: readonly (readonly [name: string, bar: number, work: () => Promise<unknown>])[] = [
    ['restore f32, base', bars.restore, () => series.restore([base])],
    ['restore f32, base and one delta', bars.restore, () => series.restore([delta, base])],
    ['encode base', bars.encode, () => series.encode(plannedFirst, 2, [])],
    ['encode delta', bars.encode, () => series.encode(plannedSecond, 2, [base])],
  ];
  for (const [name, bar, work] of cases) {
    if (!name.includes(options.only)) continue;
    report({ ...(await timedRounds(name, first.length, async () => void (await work()))), bar });
  }
  if ('chain'.includes(options.only)) for await (const row of chainRows(core)) report(row);
  if ('download'.includes(options.only))
    for await (const row of downloadRows(hasTaskset() ? cpu : undefined)) report(row);
  if (!'put to ready'.includes(options.only)) return;
  for (const row of await putToReady({
    first,
    second,
    step: Number(options.step),
    cpu: hasTaskset() ? cpu : undefined,
  }))
    report({ ...row, bar: bars.putToReady });
}

process.stdout.write(`${tableHead()}\n`);
for (const row of kernelRows(options.only)) report(row);
await seriesRows();
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(rows, undefined, 2)}\n`);
process.exitCode = rows.some(({ memcpyRatio, bar }) => memcpyRatio < bar) ? 1 : 0;
