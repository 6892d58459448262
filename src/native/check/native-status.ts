import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

/** firn::Status (native/include/firn/status.h) except ok, then the outcomes of the pool (native/binding/results.h). */
type NativeStatus = 1 | 2 | 3 | 4 | 5 | 6 | 100 | 101;

/** What only a device held is not there (any more). */
const gone = 7;

/** Symbols or weights that only a device held are gone: symbols have to be made, weights to be brought again. */
export class DeviceLossError extends FirnError {
  constructor() {
    super('native-failure', 'A device has lost what it held.', { detail: 'native core: gone' });
  }
}

const errors: Readonly<Record<NativeStatus, readonly [code: FirnErrorCode, message: string, detail: string]>> = {
  1: ['corrupt-package', 'Stored data is damaged.', 'corrupt'],
  2: ['corrupt-package', 'Stored data is damaged.', 'truncated'],
  3: ['native-failure', 'The native core refused its arguments.', 'invalid_argument'],
  4: ['native-failure', 'The native core ran out of memory.', 'out_of_memory'],
  5: ['unsupported-format', 'Stored data is in a format that this version does not know.', 'unsupported'],
  6: ['internal', 'The native core failed.', 'internal'],
  100: ['overloaded', 'The native core has as many jobs waiting as it may.', 'queue full'],
  101: ['cancelled', 'The operation was cancelled.', 'cancelled before it started'],
};

/** The FirnError for the status number of a native call; any other value is returned unchanged. */
export function nativeError(status: unknown): unknown {
  if (typeof status !== 'number') return status;
  if (status === gone) return new DeviceLossError();
  const known = (errors as Readonly<Record<number, (typeof errors)[NativeStatus] | undefined>>)[status];
  if (known === undefined)
    return new FirnError('native-failure', 'The native core failed.', { detail: `status ${status}` });
  const [code, message, detail] = known;
  return new FirnError(code, message, { detail: `native core: ${detail}` });
}

/** The error of a job with an aborted signal. */
export function cancelledError(signal: AbortSignal): FirnError {
  return new FirnError('cancelled', 'The operation was cancelled.', { cause: signal.reason });
}

/** The error for arguments outside a range stated in core.ts; `detail` names the argument. */
export function argumentError(detail: string): FirnError {
  return new FirnError('native-failure', 'The native core was called with arguments it does not accept.', { detail });
}
