/**
 * Measures a compressed pull of a series' last step by someone who has the one before: `npm run bench:pull --
 * [<series dir>] [--threshold 0.01] [--data DIR]`. Pushes the series as the demo does, into one run, then runs
 * clients/python/bench/measure_pull.py against the hub, which checks every byte before it times. With `--data`, the
 * hub's data stay in that folder, and a later run with it pushes nothing. Needs python3 with numpy, and libfirn as
 * docs/hacking.md builds it (FIRN_CORE).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HubClient } from '../src/cli/demo/hub-client.ts';
import { HubProcess } from '../src/cli/demo/hub-process.ts';
import { prepareHub, pushCheckpoint } from '../src/cli/demo/push-series.ts';
import { readSeries } from '../src/cli/demo/read-series.ts';

const repository = 'bench/series';
const run = 'train';
const measure = fileURLToPath(new URL('../clients/python/bench/measure_pull.py', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { threshold: { type: 'string', default: '0.01' }, data: { type: 'string' } },
});
const series = readSeries(positionals[0] ?? fileURLToPath(new URL('../examples/lm-small', import.meta.url)));
const temporary = await mkdtemp(join(tmpdir(), 'firn-pull-'));
const data = values.data ?? join(temporary, 'hub');
const isPushed = existsSync(data);
const hub = await HubProcess.start(data);
try {
  if (!isPushed) await push(new HubClient(hub.url));
  const [before, last] = series.checkpoints.slice(-2);
  const steps = [`${run}/step-${before!.step}`, `${run}/step-${last!.step}`];
  const { status } = spawnSync('python3', ['-B', measure, hub.url, repository, ...steps], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  await hub.stop();
  await rm(temporary, { recursive: true, force: true });
}

async function push(client: HubClient): Promise<void> {
  const thresholds = { [series.metric]: Number(values.threshold) };
  await prepareHub(client, series, { repository, run, thresholds, method: 'residual' });
  for (const checkpoint of series.checkpoints) {
    const { status } = await pushCheckpoint(client, repository, run, checkpoint, () => undefined);
    if (status.result === undefined) throw new Error(`step ${checkpoint.step} is ${status.state}`);
    const { storedBytes, rawBytes, kind, chainLength } = status.result;
    console.log(`step ${checkpoint.step}: ${kind}, ${storedBytes} of ${rawBytes} bytes, chain of ${chainLength}`);
  }
}
