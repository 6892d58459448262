import type { DeviceKind } from '../checkpoint/device-kind.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { deviceFailure } from './device/device-failure.ts';
import { runtimeWords } from './runtime-words.ts';

/** The signs of a failed allocation in messages of the runtime, of C++ and of V8. */
const memoryFailure = new RegExp(
  [
    'failed to allocate',
    'bad_alloc',
    'bad allocation',
    'out of memory',
    'allocation failed',
    'memory exhausted',
    'requested size.*overflow',
    'invalid typed array length',
  ].join('|'),
  'i',
);
/** The signs of a tensor that does not fit the input it is fed to. */
const inputFailure =
  /invalid dimensions for input|unexpected input data type|invalid rank for input|missing input|invalid feed input/i;

export function isMemoryFailure(text: string): boolean {
  return memoryFailure.test(text);
}

/**
 * An error of the runtime while it loads a graph. The message repeats the runtime's own sentence, without its source
 * files and addresses. On CUDA every error is `eval-device`: whether the graph is to blame shows on the processor.
 */
export function loadFailure(cause: unknown, device: DeviceKind = 'cpu'): FirnError {
  const detail = textOf(cause);
  if (device === 'cuda') return deviceFailure(detail, cause);
  if (isMemoryFailure(detail)) return outOfMemory(detail);
  const { place, sentence } = runtimeWords(detail);
  const where = place === undefined ? '' : ` at ${place}`;
  const message =
    sentence === ''
      ? `The runtime cannot load the graph${where}.`
      : `The runtime cannot load the graph${where}: ${sentence}`;
  return new FirnError('graph-invalid', message, { detail, cause });
}

/**
 * An error of the runtime while it runs a graph. The graph fails on these inputs (an index beyond a table, a shape that
 * does not fit) and would fail again, unlike with `eval-crashed`, after which the process is dead. The message names
 * operator and node and repeats the runtime's own sentence. On CUDA as with {@link loadFailure}.
 */
export function runFailure(cause: unknown, device: DeviceKind = 'cpu'): FirnError {
  const detail = textOf(cause);
  if (device === 'cuda') return deviceFailure(detail, cause);
  if (isMemoryFailure(detail)) return outOfMemory(detail);
  const { place, sentence } = runtimeWords(detail);
  const reason = sentence === '' ? '.' : `: ${sentence}`;
  if (place !== undefined)
    return new FirnError('eval-input-mismatch', `The runtime fails at ${place}${reason}`, { detail, cause });
  const what = inputFailure.test(detail)
    ? 'The batches do not fit the inputs of the graph'
    : 'The graph fails when it is run on the batches';
  return new FirnError('eval-input-mismatch', `${what}${reason}`, { detail, cause });
}

export function outOfMemory(detail: string | undefined): FirnError {
  return new FirnError(
    'eval-memory',
    'The evaluation needs more memory than it is allowed.',
    detail === undefined ? {} : { detail },
  );
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
