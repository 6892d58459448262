/**
 * Uploads whose connections are cut at random bytes, in headers, too, and whose hub is killed with SIGKILL now and
 * then; each goes on where HEAD says: npx tsx test/uploads/cut-uploads.ts --cuts 300 --seed 1 [--gateways 2]
 *
 * In the end every file is downloaded and digested. A connection that ends may cost what the hub reads ahead; one that
 * is reset, or a kill, one piece: either the request was no longer than that, as those of tus clients are, or the hub
 * had acknowledged all but one piece of what was sent. With DATABASE_URL the hub has its catalog there, with the
 * FIRN_TEST_S3_* variables of scripts/ceph-rgw.sh its objects in a bucket. Several gateways share a Postgres server,
 * one of the test's own where none is given.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HubApi, sha256, type Answer } from '../acceptance/hub-api.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { TusClient } from './tus-client.ts';

const mebibyte = 2 ** 20;
/** Most bytes that a reset or a kill may cost. */
const pieceBytes = 8 * mebibyte;
/** Most bytes of a connection that a hub has read and not processed: a stream's buffer and one more read. */
const readAheadBytes = 128 * 1024;
const largestBytes = 20 * mebibyte + 17;
/** Sizes of the uploads, in bytes, the first ones more often: within one piece, and several. */
const sizesBytes = [70_000, 1, 500_001, mebibyte, 3 * mebibyte, pieceBytes, largestBytes];
/** Most cuts of one upload. */
const cutsPerUpload = 6;
/**
 * Shares of cuts that are resets, that hit the headers, and that wait until the hub has acknowledged as much as it can.
 */
const resetShare = 0.3;
const headerShare = 0.1;
const patientShare = 0.5;
/** Longest time from handing the last byte to the system to a kill or a reset, in ms. */
const holdMsMax = 200;

/** end: the sent bytes arrive, then the connection ends. reset: it ends at once. kill: the hub is killed. */
type Ending = 'end' | 'reset' | 'kill';

export interface CutReport {
  readonly uploads: number;
  readonly cuts: number;
  readonly kills: number;
  /** Kills after which the upload continued after its first byte and before its last. */
  readonly resumedKills: number;
  /** Most bytes that had to be sent twice after one cut, by kind of cut. */
  readonly resentMaxBytes: Readonly<Record<Ending, number>>;
  /** One sentence each. */
  readonly problems: readonly string[];
}

export interface CutOptions {
  readonly cuts: number;
  readonly seed: number;
  /** One cut in this many is a kill. */
  readonly killEvery: number;
  /** More than one needs a database in `environment`. */
  readonly gateways?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly say?: (line: string) => void;
}

interface State {
  readonly options: CutOptions;
  readonly random: () => number;
  readonly start: () => Promise<Hub>;
  readonly problems: string[];
  readonly hubs: Hub[];
  /** Number of the hub that gets the next request. */
  asked: number;
  cuts: number;
  kills: number;
  resumedKills: number;
  readonly resentMaxBytes: Record<Ending, number>;
}

/** Runs the test; resolves to the costs and the problems. */
export async function cutUploads(options: CutOptions): Promise<CutReport> {
  const { cuts, seed, gateways = 1, environment = {}, say } = options;
  const dataDirectory = await mkdtemp(join(tmpdir(), 'firn-cuts-'));
  const start = () => startHub({ dataDirectory, environment, ...(gateways > 1 && { command: 'serve' }) });
  const counts = { asked: 0, cuts: 0, kills: 0, resumedKills: 0, resentMaxBytes: { end: 0, reset: 0, kill: 0 } };
  const state: State = { options, random: randomNumbers(seed), start, problems: [], hubs: [], ...counts };
  // A new name each time, so that a database or a bucket may be used again.
  const repository = `cuts-${seed}-${randomBytes(4).toString('hex')}`;
  const checkpoint = `/v1/repositories/acme/${repository}/runs/cut/checkpoints/0`;
  const digests = new Map<string, string>();
  try {
    while (state.hubs.length < gateways) state.hubs.push(await start());
    const api = new HubApi(urlOf(state));
    await expectStatus(api.post('/v1/repositories', { namespace: 'acme', name: repository }), 201);
    await expectStatus(api.post(`/v1/repositories/acme/${repository}/runs`, { name: 'cut' }), 201);
    await expectStatus(api.post(checkpoint.replace(/\/0$/, ''), { step: 0 }), 201);
    while (state.cuts < cuts) {
      const cutsHere = Math.min(1 + Math.floor(state.random() * cutsPerUpload), cuts - state.cuts);
      const bytes = randomBytes(sizeOf(state, cutsHere));
      const path = `file-${digests.size}.bin`;
      digests.set(path, sha256(bytes));
      await uploadWithCuts(state, {
        collection: `${checkpoint}/uploads?path=${path}&sha256=${sha256(bytes)}`,
        bytes,
        cuts: cutsHere,
      });
      say?.(
        `${path}, ${bytes.length} bytes: ${state.cuts} cuts, ${state.kills} kills, ${state.problems.length} problems`,
      );
      for (const problem of state.problems.slice(-1)) say?.(problem);
    }
    for (const [path, digest] of digests) await checkDownload(state, `${checkpoint}/files/${path}?as=uploaded`, digest);
    const { kills, resumedKills, resentMaxBytes, problems } = state;
    return { uploads: digests.size, cuts: state.cuts, kills, resumedKills, resentMaxBytes, problems };
  } finally {
    await Promise.all(state.hubs.map((hub) => hub.stop()));
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** If a kill is due, the upload has several pieces, so that there is something to resume. */
function sizeOf({ options, random, cuts }: State, cutsHere: number): number {
  const picked = sizesBytes[Math.floor(random() ** 2 * sizesBytes.length)]!;
  return Math.floor((cuts + cutsHere) / options.killEvery) > Math.floor(cuts / options.killEvery)
    ? largestBytes
    : picked;
}

interface CutUpload {
  readonly collection: string;
  readonly bytes: Buffer;
  readonly cuts: number;
}

async function uploadWithCuts(state: State, { collection, bytes, cuts }: CutUpload): Promise<void> {
  const client = await TusClient.create(() => urlOf(state), collection, bytes.length);
  let offset = 0;
  for (let left = cuts; left > 0 && offset < bytes.length; left--) {
    state.asked = Math.floor(state.random() * state.hubs.length);
    offset = await cutOnce(state, client, bytes, offset);
    state.cuts += 1;
  }
  state.asked = Math.floor(state.random() * state.hubs.length);
  const end = offset === bytes.length ? offset : await client.sendRest(bytes);
  if (end !== bytes.length)
    state.problems.push(`${client.href}: never became complete; it stays at ${end} of ${bytes.length}`);
}

/** Cuts one request; returns the offset of the upload afterwards. */
async function cutOnce(state: State, client: TusClient, bytes: Buffer, offset: number): Promise<number> {
  const { options, random } = state;
  const ending = (state.cuts + 1) % options.killEvery === 0 ? 'kill' : random() < resetShare ? 'reset' : 'end';
  const inHeaders = random() < headerShare && ending !== 'kill';
  const isPatient = random() < patientShare || ending === 'kill';
  const restBytes = bytes.length - offset;
  const lengthBytes = ending === 'end' || isPatient ? restBytes : Math.min(restBytes, pieceBytes);
  // A kill comes late in the request, so that bytes can be lost.
  const share = ending === 'kill' ? (1 + random()) / 2 : random();
  const sentBytes = inHeaders ? 0 : Math.min(lengthBytes, Math.floor(share * (lengthBytes + 1)));
  const sentEnd = offset + sentBytes;
  const holdMs = random() * holdMsMax;
  const beforeReset = async (): Promise<void> => {
    if (isPatient && !inHeaders) await client.offsetFrom(sentEnd - pieceBytes);
    await delay(holdMs);
    if (ending === 'kill') await restartAsked(state);
  };
  const patch = { offset, lengthBytes, sent: bytes.subarray(offset, sentEnd), headerShare: inHeaders ? random() : 1 };
  const acknowledged = await client.breakPatch({ ...patch, ...(ending !== 'end' && { beforeReset }) });
  // The upload may continue at another gateway.
  state.asked = Math.floor(random() * state.hubs.length);
  const allowedBytes = ending === 'end' ? readAheadBytes : pieceBytes;
  if (ending === 'end') await client.offsetFrom(Math.max(offset, sentEnd - allowedBytes));
  const after = await client.settledOffset();
  const resentBytes = sentEnd - after;
  if (resentBytes > allowedBytes)
    state.problems.push(
      `${client.href}: ${resentBytes} of ${sentBytes} bytes have to be sent twice after one ${ending}`,
    );
  if (resentBytes < 0) state.problems.push(`${client.href}: the hub has ${-resentBytes} bytes more than were sent`);
  if (after < Math.max(offset, acknowledged ?? 0))
    state.problems.push(`${client.href}: ${Math.max(offset, acknowledged ?? 0)} was acknowledged, ${after} is there`);
  if (ending === 'kill' && after > 0 && after < bytes.length) state.resumedKills += 1;
  state.resentMaxBytes[ending] = Math.max(state.resentMaxBytes[ending], resentBytes);
  return after;
}

function urlOf({ hubs, asked }: State): string {
  return hubs[asked]!.url;
}

async function restartAsked(state: State): Promise<void> {
  await state.hubs[state.asked]!.stop('SIGKILL');
  state.kills += 1;
  state.hubs[state.asked] = await state.start();
}

async function checkDownload(state: State, path: string, digest: string): Promise<void> {
  const answer = await new HubApi(urlOf(state)).get(path);
  if (answer.status !== 200) state.problems.push(`${path} answers ${answer.status}`);
  else if (sha256(answer.bytes) !== digest) state.problems.push(`${path} has another digest`);
}

async function expectStatus(asked: Promise<Answer>, status: number): Promise<void> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.bytes.toString()}`);
}

/** FIRN_* keys for the database and the bucket of the test run. */
export function givenEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const {
    DATABASE_URL,
    FIRN_TEST_S3_ENDPOINT,
    FIRN_TEST_S3_BUCKET,
    FIRN_TEST_S3_ACCESS_KEY_ID,
    FIRN_TEST_S3_SECRET_ACCESS_KEY,
  } = environment;
  return {
    ...(DATABASE_URL !== undefined && { FIRN_DATABASE_URL: DATABASE_URL }),
    ...(FIRN_TEST_S3_ENDPOINT !== undefined && {
      FIRN_S3_ENDPOINT: FIRN_TEST_S3_ENDPOINT,
      FIRN_S3_BUCKET: FIRN_TEST_S3_BUCKET ?? '',
      FIRN_S3_ACCESS_KEY_ID: FIRN_TEST_S3_ACCESS_KEY_ID ?? '',
      FIRN_S3_SECRET_ACCESS_KEY: FIRN_TEST_S3_SECRET_ACCESS_KEY ?? '',
      FIRN_S3_FORCE_PATH_STYLE: 'true',
    }),
  };
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { cuts: text, seed: text, 'kill-every': text, gateways: text } });
  const gateways = Number(values.gateways ?? 1);
  const given = givenEnvironment(process.env);
  const postgres = gateways > 1 && given['FIRN_DATABASE_URL'] === undefined ? await startPostgres() : undefined;
  try {
    const environment = { ...given, ...(postgres && { FIRN_DATABASE_URL: postgres.url }) };
    const counts = {
      cuts: Number(values.cuts ?? 30),
      seed: Number(values.seed ?? 1),
      killEvery: Number(values['kill-every'] ?? 30),
      gateways,
    };
    const report = await cutUploads({ ...counts, environment, say: (line) => process.stdout.write(`${line}\n`) });
    const { uploads, cuts, kills, resumedKills, resentMaxBytes, problems } = report;
    for (const problem of problems) process.stdout.write(`LOST OR WRONG ${problem}\n`);
    process.stdout.write(
      `${uploads} uploads, ${cuts} cuts, ${kills} of them kills of the hub, ${resumedKills} of which the upload ` +
        `went on behind: at most ${resentMaxBytes.end} bytes sent twice after an ` +
        `end, ${resentMaxBytes.reset} after a reset, ${resentMaxBytes.kill} after a kill; ${problems.length} ` +
        'lost or wrong\n',
    );
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    await postgres?.remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
