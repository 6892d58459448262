import type { CodebookCalls } from './core/codebook.ts';
import type { TokenCalls } from './core/tokens.ts';
import type { ContextCalls } from './core/contexts.ts';
import type { ExactCalls } from './core/exact.ts';
import type { DeltaCalls } from './core/deltas.ts';
import type { StateCalls } from './core/state.ts';
import type { LatticeCalls } from './core/lattice.ts';
import type { ResidualCalls } from './core/residual.ts';
import type { ProcessCalls } from './core/process.ts';
import type { DeviceCalls, DeviceChoice, DeviceWork } from './core/device.ts';

export * from './core/codebook.ts';
export * from './core/tokens.ts';
export * from './core/contexts.ts';
export * from './core/exact.ts';
export * from './core/deltas.ts';
export * from './core/state.ts';
export * from './core/lattice.ts';
export * from './core/residual.ts';
export * from './core/device.ts';

/**
 * The typed interface of the C++ core (native/include/firn/*.h describes each call and cites the paper). Calls named
 * `...Sync` run on the caller's thread and are short. The others run on the core's own bounded pool and read their
 * inputs in place: until the promise settles, do not write to them, transfer their buffers, or pass memory that another
 * addon frees at exit. They reject with FirnError: `native-failure`, `corrupt-package` (bytes that no encoder writes),
 * `overloaded` (queue full), `cancelled` (signal); a value of the wrong type is a TypeError. A cancelled call settles
 * once none of its work runs any more; its additions to a sketch or to token counts may remain. Results are new
 * ordinary buffers.
 */
export interface NativeCore
  extends
    CodebookCalls,
    TokenCalls,
    ContextCalls,
    ExactCalls,
    DeltaCalls,
    StateCalls,
    LatticeCalls,
    ResidualCalls,
    DeviceCalls,
    ProcessCalls {
  /**
   * A core with the same pool and the same device that counts what the device does for its calls; undefined without a
   * device. This core has to outlive it.
   */
  withDeviceAccount(): AccountedCore | undefined;
  /** A core with the same pool and no device. This core has to outlive it. */
  withoutDevice(): NativeCore;
}

export interface AccountedCore {
  readonly core: NativeCore;
  readonly kind: DeviceChoice['kind'];
  readonly deviceWork: () => DeviceWork;
}

/** Largest number of elements in one block call. */
export const blockElementsMax = 131072;
