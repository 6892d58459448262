/**
 * Kills a hub with SIGKILL at random instants, while clients push checkpoints and sometimes while it starts, restarts it on the same directory, and
 * checks that nothing it acknowledged is lost or wrong: npx tsx test/crash/kill-nine.ts --rounds 300 --seed 1
 *
 * In the end everything acknowledged is checked once more, what the kills left over is counted, and swept by a hub that finds it old enough.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub } from '../acceptance/start-hub.ts';
import { checkAcknowledged, checkCollected, collectGarbage, countObjects } from './crash-checks.ts';
import { prepare, pushUntilKilled, Refused, runPlans, type Acknowledged } from './crash-clients.ts';

/** A kill comes this long after the clients start, in ms, at most: long enough for some encodes to be under way. */
const killAfterMsMax = 2500;
/** Share of rounds in which a start is killed, too. */
const startKillShare = 0.25;
/** A start is killed this long after it began, in ms, at most: about as long as one takes. */
const startKillAfterMsMax = 4000;
/** Objects that one kill may leave behind: what a client's body had become just before it was recorded, and what had been replaced or released. */
const orphansPerKillMax = 3 * runPlans.length;

export interface KillReport {
  readonly rounds: number;
  readonly acknowledgedCheckpoints: number;
  readonly acknowledgedFiles: number;
  /** Objects that nothing had ever named, after the last kill. */
  readonly orphans: number;
  /** One sentence a loss. */
  readonly problems: readonly string[];
}

export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

/** Runs the test; resolves to what was lost or wrong. */
export async function killNine({ rounds, seed, say }: KillOptions): Promise<KillReport> {
  const random = randomNumbers(seed);
  const dataDirectory = await mkdtemp(join(tmpdir(), 'firn-kill-'));
  const acknowledged: Acknowledged[] = [];
  const nextSteps = runPlans.map(() => 0);
  const problems: string[] = [];
  let checked: readonly Acknowledged[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      if (round > 0 && random() < startKillShare) await killStart(dataDirectory, random() * startKillAfterMsMax);
      const hub = await startHub({ dataDirectory });
      if (round === 0) await prepare(hub.url);
      // Before anything new is pushed, so that what is checked has only the kill behind it; what was whole before is checked in the end.
      const fresh = acknowledged.filter((each) => !checked.includes(each));
      problems.push(...(await checkAcknowledged(hub.url, fresh)));
      checked = acknowledged.filter(({ committed }) => committed);
      const clients = runPlans.map(async (plan, at) => {
        nextSteps[at] = await pushUntilKilled(hub.url, plan, nextSteps[at]!, acknowledged).catch((error: unknown) => {
          problems.push(error instanceof Refused ? error.message : String(error));
          return nextSteps[at]!;
        });
      });
      await delay(random() * killAfterMsMax);
      await hub.stop('SIGKILL');
      await Promise.all(clients);
      say?.(`round ${round + 1}: ${nextSteps.join(', ')} checkpoints of ${runPlans.map(({ name }) => name).join(', ')}; ${problems.length} problems`);
    }
    return { ...(await closeUp(dataDirectory, acknowledged, rounds, problems)), rounds };
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** Starts a hub and kills it before or soon after it answers. */
async function killStart(dataDirectory: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../../src/main.ts', import.meta.url))], {
    env: { ...process.env, FIRN_PORT: '0', FIRN_ACCESS: 'open', FIRN_DATA_DIR: dataDirectory, FIRN_LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await exited;
  clearTimeout(kill);
}

/** Everything once more, now that all kills are over, and what they left. */
async function closeUp(dataDirectory: string, acknowledged: readonly Acknowledged[], kills: number, problems: string[]): Promise<Omit<KillReport, 'rounds'>> {
  const runs = runPlans.map(({ name }) => name);
  const hub = await startHub({ dataDirectory });
  problems.push(...(await checkAcknowledged(hub.url, acknowledged)));
  const { stored, named, merged } = await countObjects(hub.url, dataDirectory, runs);
  if (stored < named) problems.push(`${named - stored} objects are named by records and are not there`);
  await hub.stop();

  const orphans = await collectGarbage(dataDirectory);
  if (orphans > kills * orphansPerKillMax + merged) problems.push(`${orphans} objects are left over from ${kills} kills`);
  // What it merged itself it would keep for its readers.
  const collected = await startHub({ dataDirectory, environment: { FIRN_MERGE: 'off' } });
  problems.push(...(await checkCollected(collected.url, dataDirectory, runs)));
  problems.push(...(await checkAcknowledged(collected.url, acknowledged)));
  await collected.stop();
  const checkpoints = new Set(acknowledged.filter(({ committed }) => committed).map(({ run, step }) => `${run}@${step}`));
  return { acknowledgedCheckpoints: checkpoints.size, acknowledgedFiles: acknowledged.length, orphans, problems };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } } });
  const report = await killNine({ rounds: Number(values.rounds), seed: Number(values.seed), say: (line) => process.stdout.write(`${line}\n`) });
  for (const problem of report.problems) process.stdout.write(`LOST OR WRONG ${problem}\n`);
  process.stdout.write(
    `${report.rounds} kills, ${report.acknowledgedCheckpoints} acknowledged checkpoints, ${report.acknowledgedFiles} files, ` +
      `${report.orphans} objects left over and collected, ${report.problems.length} lost or wrong\n`,
  );
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
