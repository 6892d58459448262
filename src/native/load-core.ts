import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { FirnError } from '../checkpoint/firn-error.ts';
import { AbortableJobs } from './abortable-jobs.ts';
import type { Addon } from './addon.ts';
import type { NativeCore } from './core.ts';
import { nativeCore } from './native-core.ts';

export interface LoadCoreOptions {
  /** Threads of the pool; by default one less than the machine's cores, at least 1. */
  readonly threads?: number;
  /** Jobs that may wait for a thread, 1..2^20; one more is refused with `overloaded`. */
  readonly queueMax?: number;
}

/** Jobs keep inputs that their callers hold anyway, so this bounds bookkeeping and waiting time rather than memory. */
const queueMaxDefault = 1024;

/**
 * Loads the addon and starts a pool of its own threads: one per process, or per worker thread, is enough. The threads end when the
 * core is collected or its process or worker ends; jobs that run then are waited for, the others dropped.
 * Throws `internal` when the addon has not been built.
 */
export function loadCore(options: LoadCoreOptions = {}): NativeCore {
  const addon = loadAddon();
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const engine = addon.init(threads, options.queueMax ?? queueMaxDefault);
  return nativeCore({ addon, engine, abortableJobs: new AbortableJobs((job) => addon.cancel(engine, job)), ended: { calls: 0, ms: 0 } });
}

function loadAddon(): Addon {
  const path = join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'build', 'Release', 'firn_core.node');
  if (!existsSync(path)) {
    throw new FirnError('internal', 'The native core is not built: run npm run build:native.', { detail: path });
  }
  try {
    return createRequire(import.meta.url)(path) as Addon;
  } catch (cause) {
    throw new FirnError('internal', 'The native core does not load on this machine: run npm run build:native.', { detail: path, cause });
  }
}

/** The nearest folder upwards with a package.json: the same from src/, from dist/ and under a test runner. */
function packageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new FirnError('internal', 'The native core is not built: run npm run build:native.', { detail: 'no package.json' });
  return packageRoot(parent);
}
