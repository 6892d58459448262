/** The operations of the race: each sends requests to the hub and compares the answers with the twin. */
import { ask, pick, sha256, type Answer, type Asked } from '../harness/ask.ts';
import { exactContent, modelPath, movingContent, type Content } from './contents.ts';
import { changing, heldSteps, markOf, type Twin, type TwinRun, type TwinStep } from './twin.ts';

export interface RaceContext {
  readonly url: string;
  readonly twin: Twin;
  readonly random: () => number;
  /** Number of answers, by operation and status. */
  readonly counts: Map<string, number>;
  /** Ids of the merged packages that answers mentioned. */
  readonly merges: Set<string>;
  problem(sentence: string): void;
  /** The look at a checkpoint that clients wait for. */
  looking: Promise<void> | undefined;
}

export const repository = '/v1/repositories/race/twin';
/** Steps of a run; after that it is only read, forked from and deleted. */
const stepsMax = 24;
/** Runs that live at once; then a run is deleted instead of created. */
const runsMax = 80;
/**
 * Share of pushes that go to the oldest mergeable run that is not full, so that some run grows long enough for a merge.
 */
const mergedShare = 0.4;

type Operation = (ctx: RaceContext) => Promise<void>;

async function counted(ctx: RaceContext, name: string, method: string, path: string, asked?: Asked): Promise<Answer> {
  const answer = await ask(method, ctx.url + path, asked);
  const key = `${name} ${answer.status}`;
  ctx.counts.set(key, (ctx.counts.get(key) ?? 0) + 1);
  return answer;
}

function expectStatus(ctx: RaceContext, what: string, { status, bytes }: Answer, allowed: readonly number[]): boolean {
  if (allowed.includes(status)) return true;
  ctx.problem(`${what}: answered ${status}, and not ${allowed.join(' or ')}: ${bytes.subarray(0, 300).toString()}`);
  return false;
}

const runPath = ({ name }: TwinRun): string => `${repository}/runs/${name}`;
const stepPath = ({ run, step }: TwinStep): string => `${runPath(run)}/checkpoints/${step}`;
const nameOf = ({ run, step }: TwinStep): string => `${run.name}@${step}`;

export function hold(step: TwinStep, content: Content): void {
  step.current = { content, mayBeCancelled: false, isReady: false, rebuilt: undefined };
  if (content.isExact) step.everSeen.add(content.files[0]!.sha256);
}

function contentFor({ random }: RaceContext, run: TwinRun, step: number, withBeside: boolean): Content {
  return run.kind === 'moving' ? movingContent(step) : exactContent(random, withBeside);
}

const newRun: Operation = async (ctx) => {
  if (ctx.twin.live.length >= runsMax) return removeRun(ctx);
  const kind = ctx.random() < 0.25 ? 'moving' : 'exact';
  const name = ctx.twin.newName();
  const search = { method: 'residual', fixedConfig: { method: 'residual', step: 0 } };
  const answer = await counted(ctx, 'new run', 'POST', `${repository}/runs`, {
    json: { name, ...(kind === 'moving' ? { search } : { fidelity: 'exact' }) },
  });
  if (expectStatus(ctx, `new run ${name}`, answer, [201])) ctx.twin.add(name, kind);
};

function runToPush({ random, twin }: RaceContext): TwinRun | undefined {
  const growing =
    random() < mergedShare
      ? twin.live.find(({ kind, nextStep }) => kind === 'moving' && nextStep < stepsMax)
      : undefined;
  return growing ?? pick(random, twin.live);
}

/** The next step of a run, a deleted one, or an existing one: again, or with other bytes. */
function stepToPush(ctx: RaceContext, run: TwinRun): TwinStep | undefined {
  const old = ctx.random() < 0.3 ? pick(ctx.random, [...run.steps.values()]) : undefined;
  if (old === undefined && run.nextStep >= stepsMax) return undefined;
  const step = old ?? ctx.twin.stepOf(run, run.nextStep++);
  return step.isChanging ? undefined : step;
}

const push: Operation = async (ctx) => {
  const run = runToPush(ctx);
  const step = run && stepToPush(ctx, run);
  if (run === undefined || step === undefined) return newRun(ctx);
  const content = contentFor(ctx, run, step.step, false);
  await changing(step, async (runMoved) => {
    const before = step.current;
    const answer = await counted(ctx, 'push', 'PUT', stepPath(step), { body: content.files[0]!.bytes });
    const isSame =
      before !== undefined && before.content.files.length === 1 && before.content.files[0] === content.files[0];
    const expected =
      before === undefined ? [202] : isSame && !before.mayBeCancelled ? [200] : isSame ? [200, 409] : [409];
    if (!expectStatus(ctx, `push ${nameOf(step)}`, answer, runMoved() ? [...expected, 404, 409] : expected)) return;
    if (answer.status === 202 && !run.isGone) hold(step, content);
  });
};

/** Reserves a step, uploads its files and commits it, or discards it on the way. */
const pushInParts: Operation = async (ctx) => {
  const run = runToPush(ctx);
  if (run === undefined || run.nextStep >= stepsMax) return newRun(ctx);
  const step = ctx.twin.stepOf(run, run.nextStep++);
  const content = contentFor(ctx, run, step.step, true);
  const leavesAfter = ctx.random() < 0.3 ? Math.floor(ctx.random() * (content.files.length + 1)) : Infinity;
  await changing(step, async (runMoved) => {
    const allowed = (...statuses: number[]): number[] => (runMoved() ? [...statuses, 404, 409] : statuses);
    const reserved = await counted(ctx, 'reserve', 'POST', `${runPath(run)}/checkpoints`, {
      json: { step: step.step, files: content.files.map(({ path }) => ({ path })) },
    });
    if (!expectStatus(ctx, `reserve ${nameOf(step)}`, reserved, allowed(201)) || reserved.status !== 201) return;
    for (const [at, { path, bytes }] of content.files.entries()) {
      if (at === leavesAfter) break;
      const received = await counted(ctx, 'put file', 'PUT', `${stepPath(step)}/files/${path}`, { body: bytes });
      if (!expectStatus(ctx, `put ${nameOf(step)} ${path}`, received, allowed(201)) || received.status !== 201) return;
    }
    if (leavesAfter !== Infinity) {
      const left = await counted(ctx, 'leave', 'DELETE', stepPath(step));
      expectStatus(ctx, `leave ${nameOf(step)}`, left, allowed(204));
      return;
    }
    const committed = await counted(ctx, 'commit', 'POST', `${stepPath(step)}/commit`);
    if (expectStatus(ctx, `commit ${nameOf(step)}`, committed, allowed(202)) && committed.status === 202 && !run.isGone)
      hold(step, content);
  });
};

function anyStep(ctx: RaceContext): TwinStep | undefined {
  const run = pick(ctx.random, ctx.twin.live);
  return run && pick(ctx.random, [...run.steps.values()]);
}

interface Described {
  readonly state: string;
  readonly error?: unknown;
  readonly package?: { readonly mergedPackage?: { readonly id: string } };
  readonly files: readonly {
    readonly path: string;
    readonly uploaded: { readonly sha256?: string };
    readonly rebuilt?: { readonly sha256: string };
  }[];
}

const describe: Operation = async (ctx) => {
  const step = anyStep(ctx);
  if (step === undefined) return;
  const stoodStill = markOf(step);
  const before = step.current;
  const wasReady = before?.isReady === true;
  const answer = await counted(ctx, 'describe', 'GET', stepPath(step));
  if (!stoodStill()) return void expectStatus(ctx, `describe ${nameOf(step)}`, answer, [200, 404]);
  if (
    !expectStatus(ctx, `describe ${nameOf(step)}`, answer, [before === undefined ? 404 : 200]) ||
    before === undefined
  )
    return;
  note(ctx, step, { described: JSON.parse(answer.bytes.toString()) as Described, wasReady });
};

interface Told {
  readonly described: Described;
  /**
   * Whether it was known to be ready when the request was sent; a later request of another client may be answered
   * first.
   */
  readonly wasReady: boolean;
}

/** Compares the answer about a step that did not change with the twin, and records facts that only the hub can know. */
export function note(
  ctx: Pick<RaceContext, 'problem' | 'merges'>,
  step: TwinStep,
  { described, wasReady }: Told,
): void {
  const current = step.current!;
  const wrong = (what: string): void => ctx.problem(`${nameOf(step)} ${what}: ${JSON.stringify(described)}`);
  const states = ['queued', 'working', 'ready', ...(current.mayBeCancelled ? ['cancelled'] : [])];
  if (!states.includes(described.state)) return wrong('is in a state it cannot be in');
  if (wasReady && described.state !== 'ready') return wrong('was ready and is not');
  const digests = (files: readonly { path: string; sha256?: string | undefined }[]): string =>
    files
      .map(({ path, sha256: digest }) => `${path} ${digest}`)
      .sort()
      .join();
  if (
    digests(described.files.map(({ path, uploaded }) => ({ path, sha256: uploaded.sha256 }))) !==
    digests(current.content.files)
  )
    return wrong('has other files');
  if (described.state !== 'ready') return;
  current.isReady = true;
  if (described.package?.mergedPackage !== undefined) ctx.merges.add(described.package.mergedPackage.id);
  const rebuilt = described.files.find(({ path }) => path === modelPath)?.rebuilt?.sha256;
  if (rebuilt === undefined) return wrong('is ready and has no digest');
  if (current.content.isExact && rebuilt !== current.content.files[0]!.sha256)
    return wrong('is exact and has another digest');
  current.rebuilt ??= rebuilt;
  step.everSeen.add(rebuilt);
  if (current.rebuilt !== rebuilt) wrong(`had the digest ${current.rebuilt} before`);
}

/** Reads a file, whole or a part, as rebuilt or as uploaded. */
const read: Operation = async (ctx) => {
  const step = anyStep(ctx);
  if (step === undefined) return;
  const stoodStill = markOf(step);
  const before = step.current;
  const wasReady = before?.isReady === true;
  const file = before === undefined ? undefined : pick(ctx.random, before.content.files);
  const path = file?.path ?? modelPath;
  const answer = await counted(ctx, 'read', 'GET', `${stepPath(step)}/files/${path}`);
  const what = `read ${nameOf(step)} ${path}`;
  if (!stoodStill()) return void expectStatus(ctx, what, answer, [200, 404, 409]);
  if (before === undefined || file === undefined) return void expectStatus(ctx, what, answer, [404]);
  if (!expectStatus(ctx, what, answer, wasReady ? [200] : [200, 409]) || answer.status !== 200) return;
  const found = sha256(answer.bytes);
  const expected = before.content.isExact || path !== modelPath ? file.sha256 : before.rebuilt;
  if (expected !== undefined && found !== expected)
    ctx.problem(`${what}: comes down with sha256 ${found}, and not ${expected}`);
};

const readRange: Operation = async (ctx) => {
  const step = anyStep(ctx);
  const file = step?.current?.content.isExact === true ? pick(ctx.random, step.current.content.files) : undefined;
  if (step === undefined || file === undefined) return;
  const stoodStill = markOf(step);
  const { isReady } = step.current!;
  const start = Math.floor(ctx.random() * file.bytes.length);
  const end = start + Math.floor(ctx.random() * (file.bytes.length - start));
  const answer = await counted(ctx, 'read range', 'GET', `${stepPath(step)}/files/${file.path}`, {
    headers: { range: `bytes=${start}-${end}` },
  });
  const what = `read ${nameOf(step)} ${file.path} from ${start} to ${end}`;
  if (!stoodStill()) return void expectStatus(ctx, what, answer, [206, 404, 409, 416]);
  if (!expectStatus(ctx, what, answer, isReady ? [206] : [206, 409]) || answer.status !== 206) return;
  if (!answer.bytes.equals(file.bytes.subarray(start, end + 1))) ctx.problem(`${what}: comes down with other bytes`);
};

const remove: Operation = async (ctx) => {
  const step = anyStep(ctx);
  if (step === undefined || step.isChanging) return;
  await changing(step, async (runMoved) => {
    const before = step.current;
    const wasReady = before?.isReady === true;
    const answer = await counted(ctx, 'delete', 'DELETE', stepPath(step));
    const expected = before === undefined ? [404] : wasReady ? [204] : [204, 409];
    if (!expectStatus(ctx, `delete ${nameOf(step)}`, answer, runMoved() ? [...expected, 404, 409] : expected)) return;
    if (answer.status === 204) step.current = undefined;
  });
};

const cancel: Operation = async (ctx) => {
  const step = anyStep(ctx);
  if (step?.current === undefined || step.isChanging || step.current.isReady) return;
  const { current } = step;
  await changing(step, async (runMoved) => {
    current.mayBeCancelled = true;
    const answer = await counted(ctx, 'cancel', 'POST', `${stepPath(step)}/cancel`);
    expectStatus(ctx, `cancel ${nameOf(step)}`, answer, runMoved() ? [200, 202, 409, 404] : [200, 202, 409]);
  });
};

const fork: Operation = async (ctx) => {
  if (ctx.twin.live.length >= runsMax) return removeRun(ctx);
  const parent = anyStep(ctx);
  if (parent?.current === undefined) return;
  const stoodStill = markOf(parent);
  const { mayBeCancelled } = parent.current;
  const name = ctx.twin.newName();
  const answer = await counted(ctx, 'fork', 'POST', `${repository}/runs`, {
    json: { name, forkFrom: { run: parent.run.name, step: parent.step } },
  });
  const expected = mayBeCancelled ? [201, 409] : [201];
  if (
    !expectStatus(ctx, `fork ${nameOf(parent)}`, answer, stoodStill() ? expected : [...expected, 404, 409]) ||
    answer.status !== 201
  )
    return;
  ctx.twin.add(name, parent.run.kind).nextStep = parent.step + 1;
};

const removeRun: Operation = async (ctx) => {
  const run = pick(ctx.random, ctx.twin.live);
  if (run === undefined) return;
  await removeWholeRun(ctx, run);
};

export async function removeWholeRun(ctx: RaceContext, run: TwinRun): Promise<boolean> {
  run.isDeleting = true;
  run.epoch++;
  const answer = await counted(ctx, 'delete run', 'DELETE', runPath(run));
  run.isDeleting = false;
  run.epoch++;
  const isGone = expectStatus(ctx, `delete run ${run.name}`, answer, [204, 409]) && answer.status === 204;
  if (isGone) ctx.twin.remove(run);
  return isGone;
}

const list: Operation = async (ctx) => {
  const run = pick(ctx.random, ctx.twin.live);
  if (run === undefined) return;
  const { epoch, changes } = run;
  const isStill = (): boolean =>
    !run.isDeleting &&
    run.epoch === epoch &&
    run.changes === changes &&
    [...run.steps.values()].every((step) => !step.isChanging);
  const wasStill = isStill();
  const answer = await counted(ctx, 'list', 'GET', `${runPath(run)}/checkpoints?limit=1000`);
  if (!wasStill || !isStill()) return void expectStatus(ctx, `list ${run.name}`, answer, [200, 404]);
  if (expectStatus(ctx, `list ${run.name}`, answer, [200])) compareList(ctx, run, answer);
};

/** Compares the list of steps of a run that did not change with its twin's. */
export function compareList(ctx: Pick<RaceContext, 'problem'>, run: TwinRun, answer: Answer): void {
  const { items } = JSON.parse(answer.bytes.toString()) as { items: readonly { step: number }[] };
  const listed = items.map(({ step }) => step).sort((a, b) => a - b);
  const held = heldSteps(run)
    .map(({ step }) => step)
    .sort((a, b) => a - b);
  if (listed.join() !== held.join())
    ctx.problem(`${run.name} lists the steps ${listed.join()}, and not ${held.join()}`);
}

/** Whether the operation makes work for an encoder. */
export const isPush = (operation: Operation): boolean => operation === push || operation === pushInParts;

/** Operations with their share in a hundred. */
export const operations: readonly (readonly [share: number, operation: Operation])[] = [
  [2, newRun],
  [13, push],
  [5, pushInParts],
  [20, describe],
  [24, read],
  [12, readRange],
  [12, remove],
  [1.5, cancel],
  [4, fork],
  [2.5, removeRun],
  [4, list],
];
