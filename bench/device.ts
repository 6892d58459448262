/**
 * Measures what a device does for a hub: put to ready with a given config, for checkpoints with the shapes of models of
 * 0.01 to 7 billion parameters, transfers included.
 *
 *     npm run bench:device -- [--billions 0.1,1] [--on cpu,auto] [--memory MIB] [--json FILE]
 *         [--into DOCUMENT --section NAME]
 *
 * `npm run` starts with the table of the kernels (`firn_device_bench`), which needs CMake and a compiler alone. A base
 * and a delta of every shape are pushed to one hub for each value of FIRN_DEVICE in `--on`; the packages have to be the
 * same bytes. Files are made below the system's folder for temporary files: 0.8, 8 and 56 GB of checkpoints, and as
 * many again in a hub while one is in work.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { costTable } from './device/cost-table.ts';
import { deviceRound, type DeviceCost } from './device/device-round.ts';
import { modelShapes, parameterCount, writeShapedModel } from './device/shaped-model.ts';
import { describeRun } from './report/describe-run.ts';
import { writeSection } from './report/write-section.ts';

/** Movement of a weight in a step, relative to its row's scale. */
const drift = 0.05;
/** Common step of the given config: that of `bench:speed`. */
const commonStep = -32;

const { values } = parseArgs({
  options: {
    billions: { type: 'string', default: '0.1' },
    on: { type: 'string', default: 'cpu,auto' },
    memory: { type: 'string', default: '0' },
    json: { type: 'string' },
    into: { type: 'string' },
    section: { type: 'string', default: 'device' },
  },
});

const memoryMib = Number(values.memory);
const directory = await mkdtemp(join(tmpdir(), 'firn-device-'));
const costs: (DeviceCost & { readonly parameters: number })[] = [];
try {
  for (const billions of values.billions.split(',')) {
    const shape = modelShapes.get(billions);
    if (shape === undefined)
      throw new Error(
        `there is no shape of ${billions} billion parameters; there are ${[...modelShapes.keys()].join()}`,
      );
    const paths = [0, 1].map((step) => join(directory, `${step}.safetensors`));
    for (const [step, path] of paths.entries()) await writeShapedModel(path, shape, { step, drift });
    const parameters = parameterCount(shape);
    for (const device of values.on.split(','))
      for await (const cost of deviceRound({ device, paths, step: commonStep, memoryMib, directory })) {
        costs.push({ ...cost, parameters });
        console.error(`${billions} billion, ${device}, checkpoint ${cost.step}: ${cost.seconds.toFixed(1)} s`);
      }
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
const body = `${costTable(costs)}\n\n${describeRun('bench:device', process.argv.slice(2))}`;
console.log(body);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(costs, undefined, 1));
if (values.into !== undefined) await writeSection({ path: values.into, section: values.section }, body);
const digests = new Map<string, string>();
for (const { parameters, step, device, packageSha256 } of costs) {
  const key = `${parameters} ${step}`;
  if ((digests.get(key) ?? packageSha256) !== packageSha256) {
    console.error(`The package of checkpoint ${step} with ${parameters} parameters has other bytes on ${device}.`);
    process.exitCode = 1;
  }
  digests.set(key, packageSha256);
}
