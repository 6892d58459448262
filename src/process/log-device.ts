import type { Logger } from 'pino';
import type { DeviceReport } from '../evaluate/device/device-report.ts';

/** Says once, and at each change, what evaluations run on and why it is not a GPU. */
export function logDevice(log: Logger, { kind, reason, detail }: DeviceReport): void {
  if (kind === 'cuda') return log.info('evaluations can run on the GPU');
  log.info({ ...(detail !== undefined && { detail }) }, `evaluations run on the processor: ${reason ?? 'no GPU.'}`);
}
