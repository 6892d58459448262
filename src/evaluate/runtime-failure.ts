import { FirnError } from '../checkpoint/firn-error.ts';

/** The signs of a failed allocation in messages of the runtime, of C++ and of V8. */
const memoryFailure =
  /failed to allocate|bad_alloc|bad allocation|out of memory|allocation failed|memory exhausted|requested size.*overflow|invalid typed array length/i;
/** The signs of a tensor that does not fit the input it is fed to. */
const inputFailure = /invalid dimensions for input|unexpected input data type|invalid rank for input|missing input|invalid feed input/i;

export function isMemoryFailure(text: string): boolean {
  return memoryFailure.test(text);
}

/** An error of the runtime while it loads a graph. Its own words go to the log only: they name source files and addresses. */
export function loadFailure(cause: unknown): FirnError {
  const detail = textOf(cause);
  if (isMemoryFailure(detail)) return outOfMemory(detail);
  return new FirnError('graph-invalid', 'The runtime cannot load the graph.', { detail, cause });
}

/**
 * An error of the runtime while it runs a graph. It throws for what the graph does to these inputs (an index beyond a table, a shape that does not fit), and
 * would throw again: unlike `eval-crashed`, which says that the process died.
 */
export function runFailure(cause: unknown): FirnError {
  const detail = textOf(cause);
  if (isMemoryFailure(detail)) return outOfMemory(detail);
  if (inputFailure.test(detail)) return new FirnError('eval-input-mismatch', 'The batches do not fit the inputs of the graph.', { detail, cause });
  return new FirnError('eval-input-mismatch', 'The graph fails when it is run on the batches.', { detail, cause });
}

export function outOfMemory(detail: string | undefined): FirnError {
  return new FirnError('eval-memory', 'The evaluation needs more memory than it is allowed.', detail === undefined ? {} : { detail });
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
