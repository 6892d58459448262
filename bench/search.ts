/**
 * Measures what the search of every checkpoint of a series costs a hub:
 * `npx tsx bench/search.ts <series dir> [--threshold t] [--unguarded] [--cache-mib m] [--first n] [--device d]
 * [--json FILE]`
 *
 * It pushes the series as the demo does: most of it, then a fork that pushes the last checkpoints once more from an
 * earlier step, the first of them with the parent's very bytes. For each checkpoint it prints the trials and the
 * searches they belong to, one for each ancestor, the processor seconds of the hub and of its evaluation children, the
 * bytes they wrote to disk in units of the uploaded ones, and a digest of the package without its ids, by which two
 * versions of the hub are compared, or two values of `--device` (FIRN_DEVICE). `--unguarded` leaves the threshold
 * alone, without the guards that come with it. Linux only: the figures are those of /proc.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { planPushes, prepareHub, pushCheckpoint } from '../src/cli/demo/push-series.ts';
import { readSeries } from '../src/cli/demo/read-series.ts';
import { describeRun } from './report/describe-run.ts';
import { packageDigest } from './report/package-digest.ts';

const repository = 'bench/search';
const unguarded = { weightErrorMax: null, divergenceMax: null, standardErrors: 0 };
/** Ticks of the kernel's processor times in a second; Linux has 100 on every machine that Node runs on. */
const ticksPerSecond = 100;

/** What a process and those that it started have used so far. */
interface Used {
  readonly hubSeconds: number;
  readonly childSeconds: number;
  /** Bytes sent to storage. */
  readonly diskBytes: number;
  /** Bytes given to writes of any kind, sockets and memory included. */
  readonly writtenBytes: number;
}

interface Cost extends Used {
  readonly run: string;
  readonly step: number;
  readonly trials: number;
  readonly searches: number;
  readonly rawBytes: number;
  readonly storedBytes: number;
  readonly seconds: number;
  readonly phases: Readonly<Record<string, number>>;
  readonly packageSha256: string;
}

/** Processes by their parent. A process that ends while they are read is left out: its parent has its times then. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => statOf(each)?.parent === pid);
}

function statOf(pid: number): { parent: number; ownSeconds: number; endedSeconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces. The fields after it begin with the third.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number): number => (Number(fields[first - 3]) + Number(fields[first - 2])) / ticksPerSecond;
    return { parent: Number(fields[1]), ownSeconds: ticks(14), endedSeconds: ticks(16) };
  } catch {
    return undefined;
  }
}

function ioOf(pid: number): { diskBytes: number; writtenBytes: number } {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8');
    const field = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return { diskBytes: field('write_bytes'), writtenBytes: field('wchar') };
  } catch {
    return { diskBytes: 0, writtenBytes: 0 };
  }
}

function usedBy(pid: number): Used {
  const own = statOf(pid)!;
  const children = childrenOf(pid);
  const io = [pid, ...children].map(ioOf);
  return {
    hubSeconds: own.ownSeconds,
    childSeconds: own.endedSeconds + children.reduce((sum, child) => sum + (statOf(child)?.ownSeconds ?? 0), 0),
    diskBytes: io.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
    writtenBytes: io.reduce((sum, { writtenBytes }) => sum + writtenBytes, 0),
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threshold: { type: 'string', default: '0.01' },
    unguarded: { type: 'boolean', default: false },
    'cache-mib': { type: 'string' },
    first: { type: 'string' },
    device: { type: 'string', default: 'cpu' },
    json: { type: 'string' },
  },
});
const whole = readSeries(positionals[0] ?? 'examples/lm-small');
const series =
  values.first === undefined ? whole : { ...whole, checkpoints: whole.checkpoints.slice(0, Number(values.first)) };
const directory = mkdtempSync(join(tmpdir(), 'firn-search-'));
const costs: Cost[] = [];
const hub = await HubProcess.start(directory, {
  FIRN_MERGE: 'off',
  FIRN_DEVICE: values.device,
  ...(values['cache-mib'] !== undefined && { FIRN_ENCODE_CACHE_MIB: values['cache-mib'] }),
});
try {
  const client = new HubClient(hub.url);
  const { first, fork } = planPushes(series);
  const thresholds = { [series.metric]: Number(values.threshold) };
  const search = values.unguarded ? unguarded : undefined;
  await prepareHub(client, series, { repository, run: first.run, thresholds, method: 'residual', search });
  for (const plan of fork === undefined ? [first] : [first, fork]) {
    if (plan.fromStep !== undefined)
      await client.post(`/v1/repositories/${repository}/runs`, {
        name: plan.run,
        forkFrom: { run: first.run, step: plan.fromStep },
      });
    for (const checkpoint of plan.checkpoints) {
      const before = usedBy(hub.pid);
      const { status, path, seconds } = await pushCheckpoint(client, repository, plan.run, checkpoint, () => undefined);
      const after = usedBy(hub.pid);
      if (status.state !== 'ready' || status.result === undefined)
        throw new Error(`${plan.run}@${checkpoint.step} is ${status.state}: ${status.error?.message ?? ''}`);
      const stored = join(directory, 'package.firn');
      await client.download(`${path}/package`, stored);
      const { rawBytes, storedBytes, trialCount: trials } = status.result;
      const { items } = await client.get<{ items: { search: number }[] }>(`${path}/trials`);
      const searches = new Set(items.map(({ search }) => search)).size;
      costs.push({
        ...{ run: plan.run, step: checkpoint.step, trials, searches, rawBytes, storedBytes, seconds },
        phases: status.result.seconds,
        hubSeconds: after.hubSeconds - before.hubSeconds,
        childSeconds: after.childSeconds - before.childSeconds,
        diskBytes: after.diskBytes - before.diskBytes,
        writtenBytes: after.writtenBytes - before.writtenBytes,
        packageSha256: packageDigest(readFileSync(stored)),
      });
      console.log(lineOf(costs.at(-1)!));
    }
  }
} finally {
  await hub.stop();
  rmSync(directory, { recursive: true, force: true });
}
const sum = (field: (cost: Cost) => number): number => costs.reduce((total, cost) => total + field(cost), 0);
const processorSeconds = sum(({ hubSeconds, childSeconds }) => hubSeconds + childSeconds);
const rawBytes = sum((cost) => cost.rawBytes);
console.log(
  `all: ${sum(({ trials }) => trials)} trials, ${processorSeconds.toFixed(1)} processor seconds, ` +
    `${(sum(({ diskBytes }) => diskBytes) / rawBytes).toFixed(2)} x raw to disk; ` +
    `packages ${createHash('sha256')
      .update(costs.map(({ packageSha256 }) => packageSha256).join())
      .digest('hex')}`,
);
console.log(describeRun('bench:search', process.argv.slice(2)));
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(costs, undefined, 1));

function lineOf(cost: Cost): string {
  const { run, step, trials, searches, hubSeconds, childSeconds, diskBytes, writtenBytes, seconds, phases } = cost;
  const times = Object.entries(phases).map(([phase, took]) => `${phase} ${took.toFixed(1)}`);
  return (
    `${run}@${step}: ${trials} trials in ${searches} searches, ${(hubSeconds + childSeconds).toFixed(1)} processor s ` +
    `(children ${childSeconds.toFixed(1)}), ${seconds.toFixed(1)} s (${times.join(', ')}), ` +
    `disk ${(diskBytes / cost.rawBytes).toFixed(2)} x, written ${(writtenBytes / cost.rawBytes).toFixed(2)} x, ` +
    `stored ${cost.storedBytes}, package ${cost.packageSha256.slice(0, 16)}`
  );
}
