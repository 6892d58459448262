import type { NativeCore } from '../native/core.ts';
import { loadCore } from '../native/load-core.ts';
import type { Config } from '../config.ts';

type Log = Readonly<Record<'info' | 'warn' | 'error', (fields: object, text: string) => void>>;

/** The core of a process. A worker's has the device that the configuration wants; if there is none, the log says so. */
export function openCore(
  { nativeQueueMax: queueMax, nativeThreads: threads, device }: Config,
  log: Log,
  { isWorker }: { readonly isWorker: boolean },
): NativeCore {
  const pool = { queueMax, ...(threads !== undefined && { threads }) };
  if (device === undefined || !isWorker) return loadCore(pool);
  const { choice, isExpected } = device;
  const core = loadCore({
    ...pool,
    device: choice,
    onNoDevice: (reason) => {
      log[isExpected ? 'warn' : 'info']({ device: choice, reason }, 'there is no device; the processor does all work');
    },
  });
  const figures = core.deviceFigures();
  if (figures !== undefined) log.info({ device: figures.name, budgetBytes: figures.budgetBytes }, 'opened a device');
  return core;
}

/** Returns a function to call once in a while: it writes to the log what failed on the device since the last time. */
export function deviceFailuresToLog(core: Pick<NativeCore, 'deviceFigures'>, log: Log): () => void {
  let known = 0;
  let wasLost = false;
  return () => {
    const figures = core.deviceFigures();
    if (figures === undefined || figures.failures === known) return;
    const { name: device, lastFailure: reason, lost } = figures;
    const fields = { device, reason, failures: figures.failures - known };
    known = figures.failures;
    log.warn(fields, 'work failed on the device and was done again on the processor');
    if (lost && !wasLost)
      log.error({ device, reason }, 'the device has failed; until the process is started again the processor does all');
    wasLost = lost;
  };
}
