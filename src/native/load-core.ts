import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

import { FirnError } from '../checkpoint/firn-error.ts';
import { packageRoot } from '../program-files.ts';
import { AbortableJobs } from './calls/abortable-jobs.ts';
import type { Addon } from './addon.ts';
import { openDevice } from './calls/device-calls.ts';
import type { DeviceChoice, NativeCore } from './core.ts';
import { findAddon } from './find-addon.ts';
import { nativeCore } from './native-core.ts';

export interface LoadCoreOptions {
  /** Threads of the pool; by default one less than the machine's cores, at least 1. */
  readonly threads?: number;
  /** Jobs that may wait for a thread, 1..2^20; further ones are refused with `overloaded`. */
  readonly queueMax?: number;
  /** Device for the work that can be done there; without one, or if it cannot be opened, the processor does all. */
  readonly device?: DeviceChoice | undefined;
  /** Called once if the device cannot be opened, with a reason that completes a sentence. */
  readonly onNoDevice?: (why: string) => void;
}

/** Callers own the inputs of jobs anyway, so this bounds bookkeeping and waiting time rather than memory. */
const queueMaxDefault = 1024;

/**
 * Loads the addon and starts a pool of its own threads: one per process, or per worker thread, is enough. The threads
 * end when the core is collected or its process or worker ends; running jobs are waited for, the others dropped. Throws
 * `internal` when the addon has not been built.
 */
export function loadCore(options: LoadCoreOptions = {}): NativeCore {
  const addon = loadAddon();
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const engine = addon.init(threads, options.queueMax ?? queueMaxDefault);
  if (options.device !== undefined) {
    const why = openDevice(addon, engine, options.device, cudaLibraryPath());
    if (why !== undefined) options.onNoDevice?.(why);
  }
  return nativeCore({
    addon,
    engine,
    abortableJobs: new AbortableJobs((job) => addon.cancel(engine, job)),
    ended: { calls: 0, ms: 0 },
    deviceKind: options.device?.kind,
    scopes: { opened: 0 },
  });
}

/** Beside the addon. */
function cudaLibraryPath(): string {
  return join(dirname(findAddon(packageRoot)!), 'libfirn_cuda.so');
}

function loadAddon(): Addon {
  const path = findAddon(packageRoot);
  if (path === undefined)
    throw new FirnError('internal', `The native core is not built: ${howToBuild()}.`, { detail: packageRoot });
  try {
    return createRequire(import.meta.url)(path) as Addon;
  } catch (cause) {
    const message = `The native core does not load on this machine: ${howToBuild()}.`;
    throw new FirnError('internal', message, { detail: path, cause });
  }
}

/** A package installed by npm has no sources to change, so npm has to rebuild it. */
function howToBuild(): string {
  return existsSync(join(packageRoot, 'src'))
    ? 'run npm run build:native'
    : 'run npm rebuild firn-hub where it is installed';
}
