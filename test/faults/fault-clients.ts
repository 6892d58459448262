import { pick, sha256 } from '../harness/ask.ts';
import type { HubActor, SenderOf } from '../harness/hub/hub-actor.ts';
import { exactContent, movingContent, type Content } from '../race/contents.ts';

/** Longest wait for an answer, in ms; a request that takes longer counts as hanging. */
const answerMsMax = 90_000;
/** Pause before a request with Retry-After is sent again, in ms. */
const againMs = 150;
/** Most tries of one push, over all faults. */
const triesMax = 400;
/**
 * Steps of a run that wait for their encodes at once. Without a bound, clients push far more than is encoded, and all
 * of it has to be encoded in the end.
 */
const backlogMax = 3;

/** An acknowledged checkpoint. */
export interface Acknowledged {
  readonly run: string;
  readonly step: number;
  readonly content: Content;
}

export interface FaultContext {
  readonly url: string;
  readonly random: () => number;
  readonly acknowledged: Acknowledged[];
  /** Number of requests by kind of outcome. */
  readonly outcomes: Record<'succeeded' | 'toldToComeAgain' | 'cutShort', number>;
  /** Longest time of a request, in ms. */
  slowestMs: number;
  problem(sentence: string): void;
  /** Name of the current fault, for sentences. */
  readonly fault: () => string;
  readonly isOver: () => boolean;
}

type Outcome =
  { readonly kind: 'answer'; readonly status: number; readonly bytes: Buffer } | { readonly kind: 'again' | 'cut' };

export const repository = '/v1/repositories/faults/test';

/**
 * Sends one request and judges the outcome: a success or an expected refusal, an answer with Retry-After, or a download
 * that is shorter than its length. Any other outcome is a problem.
 */
export async function judged(
  ctx: FaultContext,
  method: string,
  path: string,
  { body, json, allowed = [] }: { body?: Uint8Array; json?: unknown; allowed?: readonly number[] } = {},
): Promise<Outcome> {
  const startedMs = performance.now();
  const during = ctx.fault();
  const what = `${method} ${path} (${during})`;
  let headed = false;
  try {
    const sent = json === undefined ? body : JSON.stringify(json);
    const answer = await fetch(ctx.url + path, {
      method,
      ...(json !== undefined && { headers: { 'content-type': 'application/json' } }),
      ...(sent !== undefined && { body: sent as NonNullable<RequestInit['body']> }),
      signal: AbortSignal.timeout(answerMsMax),
    });
    headed = answer.ok;
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.ok || allowed.includes(answer.status)) {
      ctx.outcomes.succeeded++;
      return { kind: 'answer', status: answer.status, bytes };
    }
    // Hub clients read errors of another form.
    const errorType = path.startsWith('/v1/') ? 'application/problem+json' : 'application/json';
    const isClear =
      answer.headers.get('content-type')?.startsWith(errorType) === true &&
      Number(answer.headers.get('retry-after')) > 0;
    if (answer.status < 500 || !isClear)
      ctx.problem(
        `${what}: answered ${answer.status} ${bytes.toString()}, Retry-After ${answer.headers.get('retry-after')}`,
      );
    ctx.outcomes.toldToComeAgain++;
    return { kind: 'again' };
  } catch (error) {
    if (!headed || performance.now() - startedMs > answerMsMax)
      ctx.problem(
        `${what}: no answer after ${Math.round(performance.now() - startedMs)} ms: ` +
          `${String((error as Error).cause ?? error)}`,
      );
    ctx.outcomes.cutShort++;
    return { kind: 'cut' };
  } finally {
    ctx.slowestMs = Math.max(ctx.slowestMs, performance.now() - startedMs);
  }
}

/**
 * Like `judged`, repeated until the answer is final; undefined if the test ends before. From the second time on, the
 * statuses of `done` are final, too: they say that an earlier try did it.
 */
async function insisting(
  ctx: FaultContext,
  method: string,
  path: string,
  { done = [], ...asked }: Parameters<typeof judged>[3] & { readonly done?: readonly number[] } = {},
): Promise<Extract<Outcome, { kind: 'answer' }> | undefined> {
  for (let tries = 0; tries < triesMax; tries++) {
    const outcome = await judged(ctx, method, path, { ...asked, allowed: tries === 0 ? [] : done });
    if (outcome.kind === 'answer') return outcome;
    if (ctx.isOver()) return undefined;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
  ctx.problem(`${method} ${path}: told to come again ${triesMax} times`);
  return undefined;
}

/** Pushes and reads until the test is over. Each client has a run of its own, so nobody else changes it. */
export async function client(ctx: FaultContext, number: number): Promise<void> {
  const run = `run-${number}`;
  for (let step = 0; !ctx.isOver(); step++) {
    // Every third client has a lossy run whose deltas are merged.
    const content = number % 3 === 2 ? movingContent(step % 50) : exactContent(ctx.random, number % 3 === 1);
    if (await pushed(ctx, run, step, content)) ctx.acknowledged.push({ run, step, content });
    for (let reads = 0; reads < 4 && !ctx.isOver(); reads++) await readOne(ctx);
    while (!ctx.isOver() && (await isUnderWay(ctx, run, step + 1 - backlogMax))) await readOne(ctx);
  }
}

/** Does what hub clients do until the test is over. */
export async function hubClient(ctx: FaultContext, actor: HubActor): Promise<void> {
  let isOver = false;
  const senderOf: SenderOf = () => async (method, path, body, done) => {
    const asked = body instanceof Uint8Array ? { body } : { json: body };
    const answer = await insisting(ctx, method, path, { ...asked, ...(done && { done }) });
    isOver = answer === undefined;
    if (answer === undefined) throw new Error('The test is over.');
    return answer.bytes;
  };
  try {
    while (!ctx.isOver()) await actor.act(senderOf);
  } catch (error) {
    if (!isOver) throw error;
  }
}

async function pushed(ctx: FaultContext, run: string, step: number, { files }: Content): Promise<boolean> {
  const checkpoint = `${repository}/runs/${run}/checkpoints/${step}`;
  if (files.length === 1) return (await insisting(ctx, 'PUT', checkpoint, { body: files[0]!.bytes })) !== undefined;
  const json = { step, files: files.map(({ path }) => ({ path })) };
  if ((await insisting(ctx, 'POST', `${repository}/runs/${run}/checkpoints`, { json })) === undefined) return false;
  for (const { path, bytes } of files)
    if ((await insisting(ctx, 'PUT', `${checkpoint}/files/${path}`, { body: bytes })) === undefined) return false;
  return (await insisting(ctx, 'POST', `${checkpoint}/commit`)) !== undefined;
}

/** Whether a step still waits for its encode; not known while the hub has no answer. */
async function isUnderWay(ctx: FaultContext, run: string, step: number): Promise<boolean> {
  if (step < 0) return false;
  const read = await judged(ctx, 'GET', `${repository}/runs/${run}/checkpoints/${step}`, { allowed: [404] });
  if (read.kind !== 'answer' || read.status !== 200) return false;
  const { state } = JSON.parse(read.bytes.toString()) as { state: string };
  return state === 'queued' || state === 'working';
}

async function readOne(ctx: FaultContext): Promise<void> {
  const known = pick(ctx.random, ctx.acknowledged);
  if (known === undefined) return;
  const checkpoint = `${repository}/runs/${known.run}/checkpoints/${known.step}`;
  const file = pick(ctx.random, known.content.files)!;
  const which = ctx.random();
  // "Not ready yet" is a valid answer.
  const allowed = [409];
  if (which < 0.2) return void (await judged(ctx, 'HEAD', `${checkpoint}/files/${file.path}`, { allowed }));
  if (which < 0.3) return void (await judged(ctx, 'GET', `${repository}/runs/${known.run}/checkpoints?limit=100`));
  const read = await judged(ctx, 'GET', `${checkpoint}/files/${file.path}`, { allowed });
  if (read.kind === 'answer' && read.status === 200) checkBytes(ctx, known, file, read.bytes);
}

function checkBytes(
  ctx: FaultContext,
  { run, step, content }: Acknowledged,
  file: Content['files'][number],
  bytes: Buffer,
): void {
  const isExact = content.isExact || file.path !== content.files[0]!.path;
  if (isExact ? sha256(bytes) !== file.sha256 : bytes.length !== file.bytes.length)
    ctx.problem(`${run}@${step} ${file.path} came down with wrong bytes (${ctx.fault()})`);
}

/** Whether everything works: a push becomes ready and downloads correctly. */
export async function worksAgain(ctx: FaultContext, run: string, step: number): Promise<boolean> {
  const content = exactContent(ctx.random, false);
  const checkpoint = `${repository}/runs/${run}/checkpoints/${step}`;
  const ready = await fetch(`${ctx.url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (
    !ready ||
    (await judged(ctx, 'PUT', checkpoint, { body: content.files[0]!.bytes, allowed: [409] })).kind !== 'answer'
  )
    return false;
  const read = await judged(ctx, 'GET', `${repository}/runs`);
  return read.kind === 'answer';
}

/** Checks that a checkpoint becomes ready and every file has its stated digest; returns a sentence if not. */
export async function checkAcknowledged(ctx: FaultContext, known: Acknowledged, deadline: number): Promise<void> {
  const checkpoint = `${ctx.url}${repository}/runs/${known.run}/checkpoints/${known.step}`;
  for (;;) {
    const { state, error, files } = (await (await fetch(checkpoint)).json()) as {
      state: string;
      error?: unknown;
      files: { path: string; rebuilt?: { sha256: string } }[];
    };
    if (state === 'queued' || state === 'working') {
      if (Date.now() > deadline) return ctx.problem(`${known.run}@${known.step} is still ${state}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    if (state !== 'ready') return ctx.problem(`${known.run}@${known.step} is ${state}: ${JSON.stringify(error)}`);
    for (const file of known.content.files) {
      const bytes = Buffer.from(await (await fetch(`${checkpoint}/files/${file.path}`)).arrayBuffer());
      checkBytes(ctx, known, file, bytes);
      if (sha256(bytes) !== files.find(({ path }) => path === file.path)?.rebuilt?.sha256)
        ctx.problem(`${known.run}@${known.step} ${file.path} is not what it is said to be`);
    }
    return;
  }
}
