import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';

/** Ends of an evaluation that a GPU may be to blame for. */
const mayBeDevice: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'eval-crashed',
  'eval-memory',
  'eval-timeout',
  'eval-device',
]);

/**
 * An evaluation that failed on a GPU. The GPU may be out of memory, broken or gone, or the graph may be at fault: only
 * the same evaluation on the processor tells which.
 */
export function deviceFailure(detail: string | undefined, cause?: unknown): FirnError {
  return new FirnError('eval-device', 'The evaluation failed on the GPU.', {
    ...(detail !== undefined && { detail }),
    ...(cause !== undefined && { cause }),
  });
}

/** The error of an evaluation on CUDA, in which whatever the GPU may be to blame for is `eval-device`. */
export function asDeviceFailure(error: unknown): unknown {
  if (!(error instanceof FirnError) || !mayBeDevice.has(error.code) || error.code === 'eval-device') return error;
  return deviceFailure(`${error.code}: ${error.message} ${error.detail ?? ''}`.trim(), error);
}

export function isDeviceFailure(error: unknown): error is FirnError {
  return error instanceof FirnError && error.code === 'eval-device';
}
