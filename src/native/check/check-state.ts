import { checkArguments } from './check-arguments.ts';
import { blockElementsMax, type StatePlace, type StateSegment } from '../core.ts';
import { nativeNumbers } from './native-numbers.ts';
import { argumentError } from './native-status.ts';

/** Longest row of a segment. */
const columnsMax = 2 ** 32 - 1;
const elementBytes = 4;

/** Throws for a place, or for values, that violate native/include/firn/state.h. */
export function checkState({ encoding, segments, reference }: StatePlace, values?: Uint8Array): void {
  if (!Object.hasOwn(nativeNumbers.stateEncoding, encoding)) throw argumentError(`encoding: ${String(encoding)}`);
  segments.forEach(checkSegment);
  const count = segments.reduce((sum, { elementCount }) => sum + elementCount, 0);
  checkArguments.integer('elements of a block', count, 0, blockElementsMax);
  if (values !== undefined) checkElements('values', values, count);
  if (reference !== undefined) checkElements('reference', reference, count);
  if (encoding === 'firstMoment' && reference === undefined)
    throw argumentError('first moments need second moments as their reference');
  if ((encoding === 'momentum' || encoding === 'clusters') && reference !== undefined)
    throw argumentError(`${encoding} has no reference`);
}

function checkSegment({ elementCount, columns, column }: StateSegment): void {
  checkArguments.integer('elementCount', elementCount, 0, blockElementsMax);
  checkArguments.integer('columns', columns, 0, columnsMax);
  checkArguments.integer('column', column, 0, Math.max(columns - 1, 0));
}

function checkElements(name: string, bytes: Uint8Array, count: number): void {
  checkArguments.bytes(name, bytes);
  if (bytes.byteLength !== count * elementBytes)
    throw argumentError(`${name}: ${bytes.byteLength} bytes for ${count} elements`);
}
