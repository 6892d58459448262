import type { AccountedCore, DeviceChoice, DeviceScope, NativeCore } from '../core.ts';
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

/** The calls of NativeCore about its device. `coreOf` makes a core of another runner. */
export function deviceCalls(runner: JobRunner, coreOf: (runner: JobRunner) => NativeCore) {
  const { addon, engine } = runner;
  return {
    deviceFigures: () => addon.deviceFigures(engine),
    openDeviceScope: (): DeviceScope | undefined => {
      if (addon.deviceFigures(engine) === undefined) return undefined;
      runner.scopes.opened += 1;
      const prefix = `${runner.scopes.opened}:`;
      return {
        name: (of) => prefix + of,
        rename: (of, to) => addon.deviceRename(engine, prefix + of, to),
        forget: (of) => addon.deviceForget(engine, prefix + of),
        close: () => addon.deviceForget(engine, prefix),
      };
    },
    forgetOnDevice: (prefix: string): void => addon.deviceForget(engine, prefix),
    withDeviceAccount: (): AccountedCore | undefined => {
      const own = addon.accountEngine(engine);
      if (own === undefined) return undefined;
      const core = coreOf({ ...runner, engine: own });
      return { core, kind: runner.deviceKind!, deviceWork: () => addon.deviceAccount(own)! };
    },
    withoutDevice: () => coreOf({ ...runner, engine: addon.engineWithoutDevice(engine), deviceKind: undefined }),
  } satisfies Partial<NativeCore>;
}
