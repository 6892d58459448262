import type { NativeCore } from '../../native/core.ts';
import type { Attributes } from '../../telemetry/tracer.ts';

/**
 * Returns a function that says what the device of this process has done since: its name, the calls that it did, and
 * those that failed on it. They are those of all encodes that run at once. Empty without a device.
 */
export function deviceAttributes({ deviceFigures }: Pick<NativeCore, 'deviceFigures'>): () => Attributes {
  const before = deviceFigures();
  return () => {
    const after = deviceFigures();
    if (before === undefined || after === undefined) return {};
    return {
      'device.name': after.name,
      'device.calls': after.works - before.works,
      'device.failures': after.failures - before.failures,
    };
  };
}
