import { FirnError } from '../checkpoint/firn-error.ts';
import { childCommand } from './child/child-command.ts';
import type { ChildReply, ChildRequest } from './child/child-messages.ts';
import { ChildPool } from './child/child-pool.ts';
import { EvaluationChild } from './child/evaluation-child.ts';
import type { LocalEvalSet } from './evaluation-request.ts';
import type { ProbedEvaluator } from './evaluator.ts';

export interface EvaluatorOptions {
  /** Most evaluations at once, each in a child of its own with one thread. */
  readonly parallel: number;
  /** Longest evaluation, in milliseconds, without the child's start and the wait for a child. */
  readonly deadlineMs: number;
  /** Most memory of one child, without mapped weight files. An idle child takes about 100 MB. */
  readonly memoryMaxBytes: number;
  /** How long an idle child waits for the next candidate before it ends. */
  readonly idleMs?: number;
}

/** Long enough for a run's next checkpoint to reuse the session, short enough to leave an idle gateway small. */
const idleMsDefault = 60_000;
/**
 * For this long, in ms, an answer proves that processes can be started: starting one for each check would be wasteful.
 */
const probedMs = 10 * 60 * 1000;
/** Largest share of the memory limit for an idle child: memory left over from one graph must not fail the next. */
const idleMemoryShare = 0.5;

/**
 * A {@link ProbedEvaluator} over a pool of child processes, started as needed. It needs the native addon, which the
 * children load.
 */
export function createEvaluator(options: EvaluatorOptions): ProbedEvaluator {
  const { parallel, deadlineMs, memoryMaxBytes, idleMs = idleMsDefault } = options;
  const command = childCommand(memoryMaxBytes);
  const pool = new ChildPool({
    parallel,
    idleMs,
    idleMemoryMaxBytes: memoryMaxBytes * idleMemoryShare,
    spawn: () => new EvaluationChild(command),
  });

  let answeredAtMs = -Infinity;
  let probing: Promise<void> | undefined;

  function ask(evalSet: LocalEvalSet, request: ChildRequest, signal: AbortSignal | undefined): Promise<ChildReply> {
    return askFor(JSON.stringify([evalSet.graphPath, evalSet.batchesPath]), request, signal);
  }

  async function askFor(set: string, request: ChildRequest, signal: AbortSignal | undefined): Promise<ChildReply> {
    const reply = await pool.lend(set, signal, (child) => child.ask(request, { deadlineMs, memoryMaxBytes }, signal));
    answeredAtMs = performance.now();
    if (reply.kind === 'failed')
      throw new FirnError(reply.code, reply.message, reply.detail === undefined ? {} : { detail: reply.detail });
    return reply;
  }

  return {
    parallel,
    async evaluate(request, signal) {
      const reply = await ask(request.evalSet, { kind: 'evaluate', request }, signal);
      if (reply.kind !== 'evaluated') throw unexpected(reply);
      return reply.values;
    },
    async evaluateParts(request, parts, signal) {
      const reply = await ask(request.evalSet, { kind: 'evaluate-parts', request, parts }, signal);
      if (reply.kind !== 'evaluated-parts') throw unexpected(reply);
      return reply.values;
    },
    async examine(request, signal) {
      const reply = await ask(request.evalSet, { kind: 'examine', request }, signal);
      if (reply.kind !== 'examined') throw unexpected(reply);
      return reply.examination;
    },
    async inputGrams(request, signal) {
      const reply = await ask(request.evalSet, { kind: 'grams', request }, signal);
      if (reply.kind !== 'collected') throw unexpected(reply);
      return reply.grams;
    },
    async check(evalSet, signal) {
      const reply = await ask(evalSet, { kind: 'check', evalSet }, signal);
      if (reply.kind !== 'checked') throw unexpected(reply);
    },
    async probe() {
      if (performance.now() - answeredAtMs < probedMs) return;
      probing ??= askFor('', { kind: 'ping' }, undefined).then(() => undefined);
      await probing.finally(() => (probing = undefined));
    },
    close: () => pool.close(),
  };
}

function unexpected(reply: ChildReply): FirnError {
  return new FirnError('eval-crashed', 'The evaluation process answered out of turn.', { detail: reply.kind });
}
