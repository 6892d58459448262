/**
 * The device that does work of some calls where it can, and what it holds between calls
 * (native/include/firn/device.h). Whatever fails on it is done again on the processor, with the same bytes. `core.ts`
 * says what holds for all calls.
 */
export interface DeviceCalls {
  /** What the device has done; undefined without one. */
  deviceFigures(): DeviceFigures | undefined;
  /** Names that no other scope has; undefined without a device. Close it. */
  openDeviceScope(): DeviceScope | undefined;
  /** Lets go of all that the device holds under names that begin with `prefix`, whatever their scope. */
  forgetOnDevice(prefix: string): void;
}

/** What a device has done for some calls. */
export interface DeviceWork {
  /** Calls that it did. */
  readonly works: number;
  /** Calls during which it failed or had no memory, done again on the processor. */
  readonly failures: number;
  /** Calls left to the processor because the device had failed before. */
  readonly afterLoss: number;
}

/**
 * Which device. `emulated` is the processor in the place of a device, for tests: everything takes the way of a device,
 * and nothing is faster.
 */
export type DeviceChoice = (
  | { readonly kind: 'cuda'; readonly index: number }
  | {
      readonly kind: 'emulated';
      /** For tests: the call of the device from which on all of them fail, and the one that finds no memory; from 1. */
      readonly failsAt?: number;
      readonly memoryFailsAt?: number;
    }
) & {
  /** Most bytes of its memory; absent: half of what is free when it is opened. */
  readonly budgetBytes?: number | undefined;
};

export interface DeviceFigures {
  readonly name: string;
  /** Of the device; 0 if it is emulated. */
  readonly totalBytes: number;
  readonly budgetBytes: number;
  /** Of the budget. */
  readonly usedBytes: number;
  /** The most of it that was used since the start. */
  readonly peakBytes: number;
  /** Bytes sent to it; this and the other sums since the start. */
  readonly uploadedBytes: number;
  /** Bytes that came back. */
  readonly downloadedBytes: number;
  /** Calls that it did. */
  readonly works: number;
  /** Calls that it left to the processor: nothing for a device, or it is lost. */
  readonly declined: number;
  /** Calls during which it failed or had no memory, done again on the processor. */
  readonly failures: number;
  /** Seconds in which it had a call under way. */
  readonly busySeconds: number;
  /** Whether it has failed and is not used any more. */
  readonly lost: boolean;
  /** Completes the sentence "the device failed: ..."; empty if it never did. */
  readonly lastFailure: string;
}

/** Names under which a device holds bytes. Calls with the same name bring the same bytes. */
export interface DeviceScope {
  name(of: string): string;
  /**
   * What it holds under its names for what begins with `of` gets names outside of it, in which `prefix` replaces that.
   */
  rename(of: string, prefix: string): void;
  /** Lets go of what it holds under its names for what begins with `of`. */
  forget(of: string): void;
  /** Lets go of everything under its names. */
  close(): void;
}

/**
 * The state that a block leaves behind, for the block that builds on it: its name, and whether the block starts at its
 * origins. A device holds it only if it holds the state before, has the block's symbols, and has room.
 */
export interface LeftState {
  readonly name: string;
  readonly isFirst: boolean;
}

/** What a device may hold of a block. */
export interface HeldNames {
  /** Of its weights and their gradients. */
  readonly weights: string;
  /** Of the state at the end of its chain. */
  readonly state: string;
}
