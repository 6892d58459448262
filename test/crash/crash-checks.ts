import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { firnProgram } from '../harness/firn-program.ts';
import { repository, sha256, type Acknowledged } from './crash-clients.ts';

/** Longest wait for an acknowledged checkpoint to become ready after a restart, in ms. */
const settleMsMax = 120_000;
const pollMs = 50;
/** Most characters that a pass over everything prints. */
const gcOutputMax = 64 * 1024 * 1024;

interface FileStatus {
  readonly path: string;
  readonly role: string;
  readonly received: boolean;
  readonly uploaded: { readonly sha256?: string; readonly href?: string };
  readonly rebuilt?: { readonly sha256: string };
}

interface CheckpointStatus {
  readonly step: number;
  readonly state: string;
  readonly error?: unknown;
  readonly result?: { readonly fidelity: string };
  readonly files: readonly FileStatus[];
  readonly package?: { readonly id: string; readonly mergedPackage?: { readonly id: string } };
}

/**
 * What is lost or wrong of what was acknowledged, one sentence each: committed checkpoints become ready and come down
 * right, files of open ones are there.
 */
export async function checkAcknowledged(url: string, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const problems: string[] = [];
  for (const each of acknowledged) problems.push(...(await checkOne(url, each)));
  return problems;
}

async function checkOne(url: string, each: Acknowledged): Promise<string[]> {
  if (each.deletion !== undefined) {
    const isGone = (await statusOf(url, each.run, each.step)) === undefined;
    if (isGone) each.deletion = 'done';
    if (isGone || each.deletion === 'done')
      return isGone ? [] : [`${each.run}@${each.step}: was deleted, and is there again`];
  }
  return each.committed ? checkCommitted(url, each) : checkReceived(url, each);
}

async function checkReceived(url: string, { run, step, path, sha256: uploaded }: Acknowledged): Promise<string[]> {
  const status = await statusOf(url, run, step);
  const file = status?.files.find((each) => each.path === path);
  return file?.received === true && file.uploaded.sha256 === uploaded
    ? []
    : [`${run}@${step} ${path}: was received, and is not there: ${JSON.stringify(status)}`];
}

async function checkCommitted(url: string, each: Acknowledged): Promise<string[]> {
  const { run, step, path, sha256: uploaded } = each;
  const name = `${run}@${step} ${path}`;
  const status = await settled(url, run, step);
  if (status?.state !== 'ready') return [`${name}: acknowledged, and now ${JSON.stringify(status)}`];
  const file = status.files.find((known) => known.path === path);
  if (file?.uploaded.sha256 !== uploaded)
    return [`${name}: has other bytes than were acknowledged: ${JSON.stringify(file)}`];
  if (file.role === 'sensitivity') return [];
  const exact = file.role !== 'model' || status.result?.fidelity === 'exact';
  const answer = await fetch(`${url}${repository}/runs/${run}/checkpoints/${step}/files/${path}`);
  const found = sha256(Buffer.from(await answer.arrayBuffer()));
  if (answer.status !== 200 || found !== file.rebuilt?.sha256)
    return [`${name}: comes down with status ${answer.status} and sha256 ${found}: ${JSON.stringify(file)}`];
  each.rebuilt ??= found;
  if (found !== each.rebuilt) return [`${name}: came down with sha256 ${each.rebuilt} before, and now with ${found}`];
  return exact && found !== uploaded ? [`${name}: is exact, and comes down with other bytes`] : [];
}

async function settled(url: string, run: string, step: number): Promise<CheckpointStatus | undefined> {
  for (const deadline = Date.now() + settleMsMax; ; await delay(pollMs)) {
    const status = await statusOf(url, run, step);
    const underWay = status?.state === 'queued' || status?.state === 'working' || status?.state === 'open';
    if (!underWay || Date.now() > deadline) return status;
  }
}

export async function statusOf(url: string, run: string, step: number): Promise<CheckpointStatus | undefined> {
  const answer = await fetch(`${url}${repository}/runs/${run}/checkpoints/${step}`);
  return answer.status === 200 ? ((await answer.json()) as CheckpointStatus) : undefined;
}

export interface ObjectCounts {
  readonly stored: number;
  /** By some record: packages, uploads that are kept, graph and batches of eval sets. */
  readonly named: number;
  /** Checkpoints that share a package with others; each had one of its own, which is kept for a while. */
  readonly merged: number;
}

/** Counts the objects in the store. */
export async function countObjects(url: string, dataDirectory: string, runs: readonly string[]): Promise<ObjectCounts> {
  let named = 0;
  let merged = 0;
  const packages = new Set<string>();
  for (const run of runs) {
    for (const { step } of await listed<{ step: number }>(url, `${repository}/runs/${run}/checkpoints`)) {
      const status = await statusOf(url, run, step);
      named += status?.files.filter(({ uploaded }) => uploaded.href !== undefined).length ?? 0;
      if (status?.package === undefined) continue;
      const { id, mergedPackage } = status.package;
      packages.add(mergedPackage?.id ?? id);
      merged += Number(mergedPackage !== undefined);
    }
  }
  named += packages.size;
  for (const { graph, batches } of await listed<{ graph?: object; batches?: object }>(url, `${repository}/eval-sets`))
    named += Number(graph !== undefined) + Number(batches !== undefined);
  return { stored: (await objectFiles(dataDirectory)).length, named, merged };
}

/** Ids of the packages that checkpoints of a run share. */
export async function mergedPackagesOf(url: string, run: string): Promise<string[]> {
  const found = new Set<string>();
  for (const { step } of await listed<{ step: number }>(url, `${repository}/runs/${run}/checkpoints`)) {
    const mergedPackage = (await statusOf(url, run, step))?.package?.mergedPackage;
    if (mergedPackage !== undefined) found.add(mergedPackage.id);
  }
  return [...found];
}

async function listed<T>(url: string, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let after = ''; ;) {
    const page = (await (await fetch(`${url}${path}?limit=1000${after}`)).json()) as { items: T[]; next?: string };
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

async function objectFiles(dataDirectory: string): Promise<string[]> {
  const entries = await readdir(join(dataDirectory, 'objects'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** `firn gc` without a grace; returns how many objects it found that nothing had ever named. The hub must not run. */
export async function collectGarbage(dataDirectory: string): Promise<number> {
  const env = { ...process.env, FIRN_DATA_DIR: dataDirectory };
  const { stdout } = await promisify(execFile)(process.execPath, [...firnProgram, 'gc', '--grace', '0', '--force'], {
    env,
    maxBuffer: gcOutputMax,
  });
  return stdout.split('\n').filter((line) => line.startsWith('marked ')).length;
}

/**
 * Whether after a collection everything stored is named; resolves to what is wrong. Nothing may be pushed meanwhile.
 */
export async function checkCollected(url: string, dataDirectory: string, runs: readonly string[]): Promise<string[]> {
  const { stored, named } = await countObjects(url, dataDirectory, runs);
  if (stored < named) return [`${named - stored} objects are named by records and are not there`];
  return stored === named ? [] : [`${stored - named} objects are named by nothing and were not collected`];
}
