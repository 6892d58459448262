import type { DeviceChoice, DeviceScope, NativeCore } from '../core.ts';
import type { Addon, EngineHandle } from '../addon.ts';
import type { JobRunner } from './run-job.ts';

/** Numbers of DeviceKind (native/include/firn/device.h). */
const kinds = { cuda: 0, emulated: 1 } as const;

/** Opens a device for an engine's jobs. Returns why there is none, if so. `library`: path of the CUDA part. */
export function openDevice(
  addon: Addon,
  engine: EngineHandle,
  choice: DeviceChoice,
  library: string,
): string | undefined {
  const [index, failsAt, memoryFailsAt] =
    choice.kind === 'cuda' ? [choice.index, 0, 0] : [0, choice.failsAt ?? 0, choice.memoryFailsAt ?? 0];
  const budgetBytes = choice.budgetBytes ?? 0;
  return addon.openDevice(engine, kinds[choice.kind], index, budgetBytes, library, failsAt, memoryFailsAt);
}

/** The calls of NativeCore about its device. */
export function deviceCalls({ addon, engine }: JobRunner) {
  let scopes = 0;
  return {
    deviceFigures: () => addon.deviceFigures(engine),
    openDeviceScope: (): DeviceScope | undefined => {
      if (addon.deviceFigures(engine) === undefined) return undefined;
      scopes += 1;
      const prefix = `${scopes}:`;
      return { name: (of) => prefix + of, close: () => addon.deviceForget(engine, prefix) };
    },
  } satisfies Partial<NativeCore>;
}
