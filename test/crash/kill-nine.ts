/**
 * Kills a hub with SIGKILL at random instants while clients push checkpoints, restarts it on the same directory, and checks that nothing it
 * acknowledged is lost or wrong: npx tsx test/crash/kill-nine.ts --rounds 300 --seed 1
 *
 * Three clients push runs of their own: exact, lossy with a fixed config in one request, and lossy in parts. What a client saw answered with 200 or 202
 * must become ready after the restart and come back right: exact bytes as uploaded, rebuilt ones with the digest the status names.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { normal, randomNumbers } from '../acceptance/random-numbers.ts';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { startHub } from '../acceptance/start-hub.ts';

/** A kill comes this long after the clients start, in ms, at most: long enough for some encodes to be under way. */
const killAfterMsMax = 2500;
/** Longest wait for an acknowledged checkpoint to become ready after a restart, in ms. */
const settleMsMax = 120_000;
const pollMs = 50;

const fixedConfig = { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0.2, pruneMetric: 'magnitude', protectFraction: 0.005 };
const runs = [
  { name: 'exact', body: { fidelity: 'exact' }, inParts: false },
  { name: 'lossy', body: { fidelity: 'lossy', search: { fixedConfig } }, inParts: false },
  { name: 'parts', body: { fidelity: 'lossy', search: { fixedConfig } }, inParts: true },
] as const;
type RunName = (typeof runs)[number]['name'];

/** What a client was told is safe. */
interface Acknowledged {
  readonly run: RunName;
  readonly step: number;
  readonly uploadedSha256: string;
}

export interface KillReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** One sentence a loss. */
  readonly problems: readonly string[];
}

/** Runs the test; resolves to what was lost or wrong. */
export async function killNine(options: { readonly rounds: number; readonly seed: number; readonly say?: (line: string) => void }): Promise<KillReport> {
  const random = randomNumbers(options.seed);
  const dataDirectory = await mkdtemp(join(tmpdir(), 'firn-kill-'));
  const pushes = { next: Object.fromEntries(runs.map(({ name }) => [name, 0])) as Record<RunName, number>, acknowledged: [] as Acknowledged[] };
  const problems: string[] = [];
  let checked = 0;
  try {
    for (let round = 0; round <= options.rounds; round += 1) {
      const hub = await startHub({ dataDirectory });
      if (round === 0) await prepare(hub.url);
      for (const acknowledged of pushes.acknowledged.slice(checked)) problems.push(...(await check(hub.url, acknowledged)));
      checked = pushes.acknowledged.length;
      if (round === options.rounds) {
        // Every one again, now that all kills are over.
        for (const acknowledged of pushes.acknowledged) problems.push(...(await check(hub.url, acknowledged)));
        await hub.stop();
        break;
      }
      const killed = new AbortController();
      const clients = runs.map((run) =>
        push(hub.url, run, pushes, options.seed, killed.signal).catch((error: unknown) => problems.push(...refusal(run.name, error))),
      );
      await delay(random() * killAfterMsMax);
      killed.abort();
      await hub.stop('SIGKILL');
      await Promise.all(clients);
      options.say?.(`round ${round + 1}: ${pushes.acknowledged.length} acknowledged so far, ${problems.length} problems`);
    }
    return { rounds: options.rounds, acknowledged: pushes.acknowledged.length, problems };
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

async function prepare(url: string): Promise<void> {
  await post(`${url}/v1/repositories`, { namespace: 'crash', name: 'test' });
  for (const { name, body } of runs) await post(`${url}/v1/repositories/crash/test/runs`, { name, ...body });
}

/** Pushes one checkpoint after another until the hub dies; an unanswered push is repeated with the same bytes by the next round. */
async function push(
  url: string,
  run: (typeof runs)[number],
  pushes: { next: Record<RunName, number>; acknowledged: Acknowledged[] },
  seed: number,
  killed: AbortSignal,
): Promise<void> {
  while (!killed.aborted) {
    const step = pushes.next[run.name];
    const file = checkpointFile(run.name, step, seed);
    const path = `${url}/v1/repositories/crash/test/runs/${run.name}/checkpoints`;
    // The last kill may have taken the answer of a push that was recorded.
    const recorded = await fetch(`${path}/${step}`);
    const state = recorded.status === 200 ? ((await recorded.json()) as { state: string }).state : 'absent';
    if (state !== 'absent' && state !== 'open') {
      // Nothing to send again.
    } else if (run.inParts) {
      await post(path, { step, files: [{ path: 'model.safetensors' }, { path: 'config.json' }] });
      await put(`${path}/${step}/files/config.json`, Buffer.from(JSON.stringify({ step })));
      await put(`${path}/${step}/files/model.safetensors`, file);
      await post(`${path}/${step}/commit`);
    } else {
      await put(`${path}/${step}`, file);
    }
    pushes.acknowledged.push({ run: run.name, step, uploadedSha256: sha256(file) });
    pushes.next[run.name] = step + 1;
  }
}

/** A client that the hub answered with a refusal met a bug; one whose connection broke met the kill. */
function refusal(run: RunName, error: unknown): string[] {
  return error instanceof Refused ? [`${run}: a push was refused: ${error.message}`] : [];
}

class Refused extends Error {}

/** Waits until the checkpoint is ready and downloads it. */
async function check(url: string, { run, step, uploadedSha256 }: Acknowledged): Promise<string[]> {
  const name = `${run}@${step}`;
  const path = `${url}/v1/repositories/crash/test/runs/${run}/checkpoints/${step}`;
  for (const deadline = Date.now() + settleMsMax; ; await delay(pollMs)) {
    const answer = await fetch(path);
    if (answer.status !== 200) return [`${name}: acknowledged, and now its status answers ${answer.status}`];
    const status = (await answer.json()) as { state: string; error?: unknown; files: { path: string; rebuilt?: { sha256: string } }[] };
    if (status.state === 'ready')
      return compare(name, path, run === 'exact' ? uploadedSha256 : status.files.find((file) => file.path === 'model.safetensors')!.rebuilt!.sha256);
    if (status.state === 'failed' || status.state === 'cancelled') return [`${name}: ${status.state} ${JSON.stringify(status.error)}`];
    if (Date.now() > deadline) return [`${name}: still ${status.state} after ${settleMsMax} ms`];
  }
}

async function compare(name: string, path: string, expectedSha256: string): Promise<string[]> {
  const answer = await fetch(`${path}/files/model.safetensors`);
  const found = sha256(Buffer.from(await answer.arrayBuffer()));
  return answer.status === 200 && found === expectedSha256
    ? []
    : [`${name}: download answers ${answer.status} with sha256 ${found}, expected ${expectedSha256}`];
}

/** A model that drifts a little every step, so that deltas are real: the same bytes for the same run, step and seed. */
function checkpointFile(run: RunName, step: number, seed: number): Buffer {
  const drift = randomNumbers(seed * 7919 + step * 31 + run.length);
  const base = randomNumbers(seed + run.length);
  const tensor = (shape: readonly number[]) => {
    const values = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 0.05 * normal(base) + 0.002 * normal(drift));
    return { dtype: 'F32', shape, bytes: new Uint8Array(values.buffer) };
  };
  return safetensorsFile({ 'wte.weight': tensor([64, 96]), 'fc.weight': tensor([96, 300]), 'fc.bias': tensor([300]) });
}

async function post(url: string, body?: unknown): Promise<void> {
  await answered(
    await fetch(url, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) }),
  );
}

async function put(url: string, body: Uint8Array): Promise<void> {
  await answered(await fetch(url, { method: 'PUT', body: new Blob([new Uint8Array(body)]), headers: { 'content-type': 'application/octet-stream' } }));
}

async function answered(answer: Response): Promise<void> {
  const text = await answer.text();
  if (!answer.ok) throw new Refused(`${answer.status} ${text}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } } });
  const report = await killNine({ rounds: Number(values.rounds), seed: Number(values.seed), say: (line) => process.stdout.write(`${line}\n`) });
  for (const problem of report.problems) process.stdout.write(`LOST OR WRONG ${problem}\n`);
  process.stdout.write(`${report.rounds} kills, ${report.acknowledged} acknowledged checkpoints, ${report.problems.length} lost or wrong\n`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
