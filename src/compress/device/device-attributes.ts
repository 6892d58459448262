import type { NativeCore } from '../../native/core.ts';
import type { Attributes } from '../../telemetry/tracer.ts';

/**
 * Returns a function that says what the device of this process has done since: its name, the calls that it did, those
 * that failed on it, the bytes that crossed its bus, the share of the time in which it had a call under way (0 to 1),
 * and the memory that it uses now. They are those of all encodes that run at once. Empty without a device.
 * `nowSeconds`: any clock that does not go back.
 */
export function deviceAttributes(
  { deviceFigures }: Pick<NativeCore, 'deviceFigures'>,
  nowSeconds: () => number,
): () => Attributes {
  const before = deviceFigures();
  const startedSeconds = nowSeconds();
  return () => {
    const after = deviceFigures();
    if (before === undefined || after === undefined) return {};
    const seconds = nowSeconds() - startedSeconds;
    return {
      'device.name': after.name,
      'device.calls': after.works - before.works,
      'device.failures': after.failures - before.failures,
      'device.sent_bytes': after.uploadedBytes - before.uploadedBytes,
      'device.received_bytes': after.downloadedBytes - before.downloadedBytes,
      'device.busy_share': seconds > 0 ? Math.min(1, (after.busySeconds - before.busySeconds) / seconds) : 0,
      'device.memory_used_bytes': after.usedBytes,
    };
  };
}
