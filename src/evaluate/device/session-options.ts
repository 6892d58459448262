import type { InferenceSession } from 'onnxruntime-node';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';

/** Severity from which the runtime writes to stderr: errors. */
const logSeverityError = 3;

/**
 * The session of an evaluation. One thread and sequential execution: the same weights give the same outputs on the
 * same device, whatever else the machine does. On CUDA, reductions that depend on timing are off; operators that CUDA
 * lacks run on the processor, as the runtime decides.
 */
export function sessionOptions(device: DeviceKind): InferenceSession.SessionOptions {
  return {
    executionProviders: [device],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: logSeverityError,
    ...(device === 'cuda' && { extra: { session: { use_deterministic_compute: '1' } } }),
  };
}
