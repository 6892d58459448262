/**
 * Uploads whose connections are cut at random bytes, in headers, too, and whose hub is killed with SIGKILL now and then; each goes on where HEAD says:
 * npx tsx test/uploads/cut-uploads.ts --cuts 300 --seed 1
 *
 * In the end every file is downloaded and digested. Of what a client had sent, each cut may cost one piece at most; one that is a reset, or a kill, also what the system
 * had taken from the client and not handed to the hub. With DATABASE_URL the hub has its catalog there, with the
 * FIRN_TEST_S3_* variables of scripts/ceph-rgw.sh its objects in a bucket.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HubApi, sha256 } from '../acceptance/hub-api.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';

const mebibyte = 2 ** 20;
/** What one cut may cost. */
const pieceBytes = 8 * mebibyte;
/** Sizes of the uploads that are cut, in bytes, the first ones oftener: inside of one piece, and several. */
const sizesBytes = [70_000, 1, 500_001, mebibyte, 3 * mebibyte, pieceBytes, 20 * mebibyte + 17];
/** Cuts that one upload gets, at most. */
const cutsPerUpload = 6;
/** What the buffers of two sockets hold, in bytes: the largest of Linux for sending and for receiving. */
const socketBytes = 10 * mebibyte;
/** Shares of cuts that kill the hub in the middle of a request, that are resets, and that hit the headers. */
const killShare = 0.03;
const resetShare = 0.3;
const headerShare = 0.1;
/** A kill or a reset comes this long after the last byte was handed to the system, in ms, at most. */
const holdMsMax = 200;
/** Tries of an upload that the hub says is still in another's hands, and the pause between two, in ms: together more than it holds one for a process that died. */
const busyTries = 60;
const busyPauseMs = 500;
/** A hub that has told the same offset so often, with such pauses in ms, has noticed the cut. */
const sameAnswers = 4;
const answerPauseMs = 200;

/** end: what was sent arrives, then the connection ends. reset: it ends at once. kill: the hub does. */
type Ending = 'end' | 'reset' | 'kill';

export interface CutReport {
  readonly uploads: number;
  readonly cuts: number;
  readonly kills: number;
  /** Most bytes that had to be sent twice after one cut, by how it came. */
  readonly resentMaxBytes: Readonly<Record<Ending, number>>;
  /** One sentence each. */
  readonly problems: readonly string[];
}

export interface CutOptions {
  readonly cuts: number;
  readonly seed: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly say?: (line: string) => void;
}

interface State {
  readonly options: CutOptions;
  readonly random: () => number;
  readonly dataDirectory: string;
  readonly problems: string[];
  hub: Hub;
  cuts: number;
  kills: number;
  readonly resentMaxBytes: Record<Ending, number>;
}

/** Runs the test; resolves to what it cost and what went wrong. */
export async function cutUploads(options: CutOptions): Promise<CutReport> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'firn-cuts-'));
  const hub = await startHub({ dataDirectory, ...(options.environment && { environment: options.environment }) });
  const state: State = {
    options,
    dataDirectory,
    hub,
    random: randomNumbers(options.seed),
    problems: [],
    cuts: 0,
    kills: 0,
    resentMaxBytes: { end: 0, reset: 0, kill: 0 },
  };
  // Of its own, so that a database or a bucket may be used again.
  const repository = `cuts-${options.seed}-${randomBytes(4).toString('hex')}`;
  const checkpoint = `/v1/repositories/acme/${repository}/runs/cut/checkpoints/0`;
  const digests = new Map<string, string>();
  try {
    const api = new HubApi(hub.url);
    await expectStatus(api.post('/v1/repositories', { namespace: 'acme', name: repository }), 201);
    await expectStatus(api.post(`/v1/repositories/acme/${repository}/runs`, { name: 'cut' }), 201);
    await expectStatus(api.post(checkpoint.replace(/\/0$/, ''), { step: 0 }), 201);
    while (state.cuts < options.cuts) {
      const bytes = randomBytes(sizesBytes[Math.floor(state.random() ** 2 * sizesBytes.length)]!);
      const path = `file-${digests.size}.bin`;
      digests.set(path, sha256(bytes));
      await uploadWithCuts(state, `${checkpoint}/uploads?path=${path}&sha256=${sha256(bytes)}`, bytes);
      options.say?.(`${path}, ${bytes.length} bytes: ${state.cuts} cuts, ${state.kills} kills, ${state.problems.length} problems`);
    }
    for (const [path, digest] of digests) await checkDownload(state, `${checkpoint}/files/${path}?as=uploaded`, digest);
    return { uploads: digests.size, cuts: state.cuts, kills: state.kills, resentMaxBytes: state.resentMaxBytes, problems: state.problems };
  } finally {
    await state.hub.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

async function uploadWithCuts(state: State, collection: string, bytes: Buffer): Promise<void> {
  const { options, random } = state;
  const created = await new HubApi(state.hub.url).ask('POST', collection, { headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes.length) } });
  if (created.status !== 201) throw new Error(`creation answered ${created.status}: ${created.bytes.toString()}`);
  const href = created.headers.get('location')!;
  let offset = 0;
  let reached = 0;
  for (let cuts = Math.min(1 + Math.floor(random() * cutsPerUpload), options.cuts - state.cuts); cuts > 0 && offset < bytes.length; cuts--) {
    const inHeaders = random() < headerShare;
    const sentBytes = inHeaders ? 0 : Math.floor(random() * (bytes.length - offset + 1));
    const headerSentShare = inHeaders ? random() : 1;
    const ending = pickEnding(random());
    const answered = await cutPatch(state, href, { offset, bytes, sentBytes, headerSentShare, ending, holdMs: random() * holdMsMax });
    state.cuts += 1;
    if (ending === 'kill') await restart(state);
    const before = offset;
    offset = await settledOffset(state, href, before + sentBytes);
    reached = Math.max(reached, before + sentBytes);
    // Bytes of an earlier request may have been taken only after HEAD was answered; this one was refused then.
    const resentBytes = Math.max(0, reached - offset);
    if (resentBytes > pieceBytes + (ending === 'end' ? 0 : socketBytes))
      state.problems.push(`${href}: ${resentBytes} bytes have to be sent twice after one ${ending}`);
    if (offset > reached) state.problems.push(`${href}: the hub has ${offset - reached} bytes more than were sent`);
    if (offset < before) state.problems.push(`${href}: acknowledged bytes are gone: ${offset} of ${before}`);
    if (answered !== undefined && offset < answered) state.problems.push(`${href}: ${answered} was acknowledged, ${offset} is there`);
    state.resentMaxBytes[ending] = Math.max(state.resentMaxBytes[ending], resentBytes);
  }
  if (offset < bytes.length) await sendRest(state, href, bytes);
}

function pickEnding(share: number): Ending {
  if (share < killShare) return 'kill';
  return share < killShare + resetShare ? 'reset' : 'end';
}

interface Cut {
  readonly offset: number;
  readonly bytes: Buffer;
  readonly sentBytes: number;
  /** Below 1 only this share of the headers is sent. */
  readonly headerSentShare: number;
  readonly ending: Ending;
  readonly holdMs: number;
}

/** Sends a PATCH up to a byte of its headers or of its body, then ends it. Returns the offset of an answer that came before. */
function cutPatch({ hub }: State, href: string, { offset, bytes, sentBytes, headerSentShare, ending, holdMs }: Cut): Promise<number | undefined> {
  const { hostname, port, host } = new URL(hub.url);
  const fields = [`PATCH ${href} HTTP/1.1`, `Host: ${host}`, 'Tus-Resumable: 1.0.0', 'Content-Type: application/offset+octet-stream'];
  const head = Buffer.from([...fields, `Upload-Offset: ${offset}`, `Content-Length: ${bytes.length - offset}`, '', ''].join('\r\n'));
  const sent =
    headerSentShare < 1 ? head.subarray(0, Math.floor(headerSentShare * head.length)) : Buffer.concat([head, bytes.subarray(offset, offset + sentBytes)]);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const acknowledged = /^HTTP\/1\.1 204[\s\S]*^upload-offset: (\d+)/im.exec(answer)?.[1];
      resolve(acknowledged === undefined ? undefined : Number(acknowledged));
    });
    socket.on('connect', () => {
      if (ending === 'end') socket.end(sent);
      else socket.write(sent, () => setTimeout(() => void (ending === 'kill' ? hub.stop('SIGKILL') : socket.resetAndDestroy()), holdMs));
    });
  });
}

/** Where the upload is once the hub has noticed that its connection was cut: HEAD says the same some times, or everything that was sent. */
async function settledOffset({ hub }: State, href: string, sentEnd: number): Promise<number> {
  let offset = await headOffset(hub.url, href);
  for (let same = 1; same < sameAnswers && offset < sentEnd; same++) {
    await delay(answerPauseMs);
    const now = await headOffset(hub.url, href);
    if (now !== offset) same = 0;
    offset = now;
  }
  return offset;
}

async function headOffset(url: string, href: string): Promise<number> {
  const head = await new HubApi(url).ask('HEAD', href, { headers: { 'tus-resumable': '1.0.0' } });
  if (head.status !== 200) throw new Error(`HEAD ${href} answered ${head.status}`);
  return Number(head.headers.get('upload-offset'));
}

/** As a client does: asks where it is and sends the rest, until all of it is there. */
async function sendRest(state: State, href: string, bytes: Buffer): Promise<void> {
  for (let tries = 0; tries < busyTries; tries++) {
    const offset = await headOffset(state.hub.url, href);
    if (offset === bytes.length) return;
    const headers = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
    const answer = await new HubApi(state.hub.url).ask('PATCH', href, { body: bytes.subarray(offset), headers });
    if (answer.status === 204) return;
    if (answer.status !== 409 && answer.status !== 423 && answer.status !== 503) throw new Error(`PATCH answered ${answer.status}: ${answer.bytes.toString()}`);
    await delay(busyPauseMs);
  }
  state.problems.push(`${href}: never became complete`);
}

async function restart(state: State): Promise<void> {
  await state.hub.stop('SIGKILL');
  state.kills += 1;
  const { environment } = state.options;
  state.hub = await startHub({ dataDirectory: state.dataDirectory, ...(environment && { environment }) });
}

async function checkDownload({ hub, problems }: State, path: string, digest: string): Promise<void> {
  const answer = await new HubApi(hub.url).get(path);
  if (answer.status !== 200) problems.push(`${path} answers ${answer.status}`);
  else if (sha256(answer.bytes) !== digest) problems.push(`${path} has another digest`);
}

async function expectStatus(asked: Promise<{ readonly status: number; readonly bytes: Buffer }>, status: number): Promise<void> {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.bytes.toString()}`);
}

/** FIRN_* keys for the database and the bucket that the tests were given. */
export function givenEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const { DATABASE_URL, FIRN_TEST_S3_ENDPOINT, FIRN_TEST_S3_BUCKET, FIRN_TEST_S3_ACCESS_KEY_ID, FIRN_TEST_S3_SECRET_ACCESS_KEY } = environment;
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { cuts: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } } });
  const environment = givenEnvironment(process.env);
  const report = await cutUploads({
    cuts: Number(values.cuts),
    seed: Number(values.seed),
    environment,
    say: (line) => process.stdout.write(`${line}\n`),
  });
  for (const problem of report.problems) process.stdout.write(`LOST OR WRONG ${problem}\n`);
  process.stdout.write(
    `${report.uploads} uploads, ${report.cuts} cuts, ${report.kills} of them kills of the hub: at most ${report.resentMaxBytes.end} bytes sent twice after an end, ` +
      `${report.resentMaxBytes.reset} after a reset, ${report.resentMaxBytes.kill} after a kill; ${report.problems.length} lost or wrong\n`,
  );
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
