import { availableParallelism } from 'node:os';
import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { childCommand } from './child/child-command.ts';
import type { ChildReply, ChildRequest } from './child/child-messages.ts';
import { ChildPool } from './child/child-pool.ts';
import { EvaluationChild } from './child/evaluation-child.ts';
import { missingCudaProvider } from './device/cuda-provider.ts';
import { CudaWatch } from './device/cuda-watch.ts';
import { asDeviceFailure, deviceFailure, isDeviceFailure } from './device/device-failure.ts';
import type { DeviceReport, EvaluateOn } from './device/device-report.ts';
import type { LocalEvalSet } from './evaluation-request.ts';
import type { ProbedEvaluator } from './evaluator.ts';

export interface EvaluatorOptions {
  /**
   * Most evaluations at once on each kind of device, each in a child of its own with one thread. Absent: on the
   * processor one less than its cores, on a GPU one.
   */
  readonly parallel?: number | undefined;
  /** Longest evaluation, in milliseconds, without the child's start and the wait for a child. */
  readonly deadlineMs: number;
  /** Most memory of one child, without mapped weight files. An idle child takes about 100 MB. */
  readonly memoryMaxBytes: number;
  /** How long an idle child waits for the next candidate before it ends. */
  readonly idleMs?: number;
  /** What evaluations may run on; the processor when absent. */
  readonly on?: EvaluateOn;
  /** Variables for children with CUDA (`cudaVariables`). */
  readonly cudaEnvironment?: Readonly<Record<string, string>>;
  /** Called when it is known whether CUDA starts, and when that changes; never with `cpu`. */
  readonly onDevice?: (report: DeviceReport) => void;
  /** Starts children, and says why there can be none with CUDA; tests pass others. */
  readonly seam?: EvaluatorSeam;
}

export interface EvaluatorSeam {
  startChild(device: DeviceKind): EvaluationChild;
  missingCuda(): string | undefined;
}

/** Long enough for a run's next checkpoint to reuse the session, short enough to leave an idle gateway small. */
const idleMsDefault = 60_000;
/**
 * For this long, in ms, an answer proves that processes can be started: starting one for each check would be wasteful.
 */
const probedMs = 10 * 60 * 1000;
/** Largest share of the memory limit for an idle child: memory left over from one graph must not fail the next. */
const idleMemoryShare = 0.5;
/** Evaluations share a device's memory and its time, so several at once gain little and may not fit. */
const cudaParallel = 1;

/**
 * A {@link ProbedEvaluator} over pools of child processes, one for each kind of device, started as needed. It needs the
 * native addon, which the children load.
 */
export function createEvaluator(options: EvaluatorOptions): ProbedEvaluator {
  const { deadlineMs, memoryMaxBytes, idleMs = idleMsDefault, on = 'cpu', cudaEnvironment = {} } = options;
  const limits = { deadlineMs, memoryMaxBytes };
  const { startChild, missingCuda }: EvaluatorSeam = options.seam ?? {
    startChild: (device) => new EvaluationChild(childCommand({ memoryMaxBytes, device, environment: cudaEnvironment })),
    missingCuda: () => missingCudaProvider(),
  };
  const parallelOn: Readonly<Record<DeviceKind, number>> = {
    cpu: options.parallel ?? Math.max(1, availableParallelism() - 1),
    cuda: options.parallel ?? cudaParallel,
  };
  const poolOf = (device: DeviceKind): ChildPool<EvaluationChild> =>
    new ChildPool({
      parallel: parallelOn[device],
      idleMs,
      idleMemoryMaxBytes: memoryMaxBytes * idleMemoryShare,
      spawn: () => startChild(device),
    });
  const pools = { cpu: poolOf('cpu'), cuda: poolOf('cuda') };
  const cuda = new CudaWatch({ on, missing: missingCuda, ask: askDevice, onReport: options.onDevice });

  let answeredAtMs = -Infinity;
  let probing: Promise<void> | undefined;

  /** What a new child with CUDA says of it. A child of the pool would repeat what it found at its start. */
  async function askDevice(): Promise<DeviceReport> {
    const child = startChild('cuda');
    try {
      await child.ask({ kind: 'ping' }, limits);
      const { kind, reason, detail } = child.device!;
      const words = [detail, child.stderrTail].filter((each) => each !== undefined && each !== '').join('\n');
      return {
        kind,
        ...(reason !== undefined && { reason }),
        ...(words !== '' && kind === 'cpu' && { detail: words }),
      };
    } finally {
      await child.kill();
    }
  }

  function ask(
    { evalSet, device }: { readonly evalSet: LocalEvalSet; readonly device?: DeviceKind },
    request: ChildRequest,
    signal: AbortSignal | undefined,
  ): Promise<ChildReply> {
    const set = JSON.stringify([evalSet.graphPath, evalSet.batchesPath]);
    return device === 'cuda' ? askCuda(set, request, signal) : askFor(set, request, signal);
  }

  async function askFor(set: string, request: ChildRequest, signal: AbortSignal | undefined): Promise<ChildReply> {
    const reply = await pools.cpu.lend(set, signal, (child) => child.ask(request, limits, signal));
    answeredAtMs = performance.now();
    return succeeded(reply);
  }

  /** The same on CUDA. Whatever the GPU may be to blame for is `eval-device`, and ends the child. */
  async function askCuda(set: string, request: ChildRequest, signal: AbortSignal | undefined): Promise<ChildReply> {
    try {
      return await pools.cuda.lend(set, signal, async (child) => {
        try {
          const reply = succeeded(await child.ask(request, limits, signal));
          if (child.device?.kind !== 'cuda') throw deviceFailure(child.device?.reason);
          return reply;
        } catch (error) {
          const found = asDeviceFailure(error);
          if (isDeviceFailure(found)) await child.kill();
          throw found;
        }
      });
    } catch (error) {
      if (isDeviceFailure(error)) cuda.failed();
      throw error;
    }
  }

  return {
    parallelOn: (device) => parallelOn[device],
    kinds: () => cuda.kinds(),
    fallsBack: on === 'auto',
    async evaluate(request, signal) {
      const reply = await ask(request, { kind: 'evaluate', request }, signal);
      if (reply.kind !== 'evaluated') throw unexpected(reply);
      return reply.values;
    },
    async evaluateParts(request, parts, signal) {
      const reply = await ask(request, { kind: 'evaluate-parts', request, parts }, signal);
      if (reply.kind !== 'evaluated-parts') throw unexpected(reply);
      return reply.values;
    },
    async examine(request, signal) {
      const reply = await ask(request, { kind: 'examine', request }, signal);
      if (reply.kind !== 'examined') throw unexpected(reply);
      return reply.examination;
    },
    async inputGrams(request, signal) {
      const reply = await ask(request, { kind: 'grams', request }, signal);
      if (reply.kind !== 'collected') throw unexpected(reply);
      return reply.grams;
    },
    async check(evalSet, signal) {
      const reply = await ask({ evalSet }, { kind: 'check', evalSet }, signal);
      if (reply.kind !== 'checked') throw unexpected(reply);
    },
    requireDevice: () => cuda.require(),
    async probe() {
      await cuda.require();
      if (performance.now() - answeredAtMs < probedMs) return;
      probing ??= askFor('', { kind: 'ping' }, undefined).then(() => undefined);
      await probing.finally(() => (probing = undefined));
    },
    async close() {
      await Promise.all([pools.cpu.close(), pools.cuda.close()]);
    },
  };
}

/** The reply, unless it is a failure, which is thrown. */
function succeeded(reply: ChildReply): ChildReply {
  if (reply.kind === 'failed')
    throw new FirnError(reply.code, reply.message, reply.detail === undefined ? {} : { detail: reply.detail });
  return reply;
}

function unexpected(reply: ChildReply): FirnError {
  return new FirnError('eval-crashed', 'The evaluation process answered out of turn.', { detail: reply.kind });
}
