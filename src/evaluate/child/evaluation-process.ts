/** Entry point of an evaluation child: answers its parent's requests one after another, and ends with it. */
import { FirnError } from '../../checkpoint/firn-error.ts';
import { loadCore } from '../../native/load-core.ts';
import { reportCuda } from '../device/cuda-provider.ts';
import { cudaArgument } from './child-command.ts';
import type { ChildReply, ChildRequest } from './child-messages.ts';
import { EvaluationService } from '../evaluation-service.ts';
import { endWithParent } from './orphan-watch.ts';
import { isMemoryFailure, outOfMemory } from '../runtime-failure.ts';

const service = new EvaluationService(loadCore({ threads: 1 }));

process.on('message', (message: ChildRequest) => {
  void answer(message).then((reply) => {
    // Mapped weight files are released on collection; without this, they take disk space even after the candidate is
    // deleted.
    globalThis.gc?.();
    send(reply);
  });
});
process.on('disconnect', () => process.exit());
await endWithParent();
send({ kind: 'ready', device: process.argv.includes(cudaArgument) ? await reportCuda() : { kind: 'cpu' } });

async function answer(message: ChildRequest): Promise<ChildReply> {
  try {
    if (message.kind === 'evaluate') return { kind: 'evaluated', values: await service.evaluate(message.request) };
    if (message.kind === 'evaluate-parts')
      return { kind: 'evaluated-parts', values: await service.evaluateParts(message.request, message.parts) };
    if (message.kind === 'examine') return { kind: 'examined', examination: await service.examine(message.request) };
    if (message.kind === 'grams') return { kind: 'collected', grams: await service.inputGrams(message.request) };
    if (message.kind === 'ping') return { kind: 'alive' };
    await service.check(message.evalSet);
    return { kind: 'checked' };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): ChildReply {
  if (error instanceof FirnError)
    return { kind: 'failed', code: error.code, message: error.message, detail: error.detail };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (isMemoryFailure(detail)) return failure(outOfMemory(detail));
  return { kind: 'failed', code: 'eval-crashed', message: 'The evaluation failed unexpectedly.', detail };
}

function send(reply: ChildReply): void {
  process.send?.(reply);
}
