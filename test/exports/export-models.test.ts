import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython, pythonMissing, trainingEnvironment } from '../../bench/restart/find-python.ts';
import { HubApi, type Json } from '../acceptance/hub-api.ts';
import { createEvalSet, createRepository, createRun, pushFiles } from '../acceptance/hub-fixtures.ts';
import { startHub, type Hub } from '../acceptance/start-hub.ts';

/** A minute and a half of work on one processor; ten times that on a busy machine. */
const makeDeadlineMs = 900_000;
/** Three checkpoints of one model: searched, downloaded, and evaluated by torch. */
const modelDeadlineMs = 300_000;
/** Tolerance of a metric, relative above one and absolute below. */
const tolerance = 1e-5;
/** Exit code of make_models.py if a package is missing. */
const packagesMissing = 3;

const models = [
  'mlp-torchscript',
  'mlp-dynamo',
  'gpt2',
  'llama',
  'bert-masked',
  'distilbert',
  'vit',
  'resnet',
  'gru',
  'segmenter',
  'regressor-bf16',
  'compiled',
  'wrapped-gpt2',
] as const;

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const python = findPython(process.env.FIRN_PYTHON);
const missing = python === undefined ? pythonMissing : await packageMissing(python.path);
if (missing !== undefined) console.warn(`export-models.test.ts: skipped, ${missing}.`);

const skipped = missing === undefined ? '' : ' (skipped: no Python with torch and transformers)';

describe.skipIf(missing !== undefined)(`models exported as the guide says${skipped}`, () => {
  let directory: string;
  let hub: Hub;
  let torch: TorchEvaluator;
  let api: HubApi;
  let repository: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'firn-exports-'));
    await runPython('make_models.py', [join(directory, 'made')], makeDeadlineMs);
    hub = await startHub();
    torch = new TorchEvaluator(python!.path);
    api = new HubApi(hub.url);
    repository = await createRepository(api, 'exports');
  }, makeDeadlineMs + 60_000);

  afterAll(async () => {
    await torch?.close();
    await hub?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.each(models)(
    '%s: the baseline is that of torch, and so is what is measured of the files that come down',
    async (name) => {
      const folder = join(directory, 'made', name);
      const expected = await readJsonFile(join(folder, 'expected.json'));
      const parts = {
        spec: await readJsonFile(join(folder, 'spec.json')),
        graph: await read(folder, 'graph.onnx'),
        batches: await read(folder, 'batches.safetensors'),
      };
      await createEvalSet(api, repository, { name, ...parts });
      const run = await createRun(api, repository, { name, evalSet: name });
      const results: [step: string, result: Json][] = [];
      for (const step of Object.keys(expected)) {
        const files = await filesOf(join(folder, `step-${step}`));
        const { result } = await api.ready(await pushFiles(api, run, Number(step), files));
        expectClose(result.baseline, expected[step], `baseline of step ${step}, ${JSON.stringify(result.warnings)}`);
        results.push([step, result]);
        await download(
          `${run}/checkpoints/${step}/files`,
          Object.keys(files),
          join(directory, 'down', name, `step-${step}`),
        );
      }
      for (const [step, result] of results) {
        expectClose(
          result.measured ?? result.baseline,
          await torch.evaluate(folder, join(directory, 'down', name, `step-${step}`)),
          `what step ${step} measures, ${result.fidelity}, ${JSON.stringify(result.warnings)}`,
        );
      }
      expect(results.map(([, { fidelity }]) => fidelity)).toContain('lossy');
    },
    modelDeadlineMs,
  );

  async function download(from: string, paths: readonly string[], to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    for (const path of paths) await writeFile(join(to, path), (await api.get(`${from}/${path}`)).bytes);
  }
});

/** evaluate_with_torch.py, running: one start of torch for all models. */
class TorchEvaluator {
  readonly #process;
  readonly #answers;
  #complaints = '';

  constructor(path: string) {
    this.#process = spawn(path, [script('evaluate_with_torch.py')], { env: pythonEnvironment(), stdio: 'pipe' });
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text));
    this.#answers = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  /** The metrics of a downloaded checkpoint, by name. Throws what Python complained of if it ended. */
  async evaluate(model: string, checkpoint: string): Promise<Record<string, number>> {
    this.#process.stdin.write(`${model}\t${checkpoint}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error(`evaluate_with_torch.py ended: ${this.#complaints}`);
    return JSON.parse(value) as Record<string, number>;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.stdin.end();
    await once(this.#process, 'close');
  }
}

/** Names the missing packages; undefined if all are installed. */
async function packageMissing(path: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(path, [script('make_models.py'), '--check'], { env: pythonEnvironment() });
    return undefined;
  } catch (error) {
    const { code, stderr } = error as { code?: number; stderr: string };
    if (code !== packagesMissing) throw error;
    return `${stderr.trim()} (${path}; name an interpreter that has them in FIRN_PYTHON)`;
  }
}

async function runPython(name: string, args: readonly string[], timeout: number): Promise<string> {
  const { stdout } = await promisify(execFile)(python!.path, [script(name), ...args], {
    env: pythonEnvironment(),
    timeout,
  });
  return stdout;
}

function pythonEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...trainingEnvironment };
}

async function filesOf(folder: string): Promise<Record<string, Buffer>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(folder, name)] as const)));
}

function read(folder: string, name: string): Promise<Buffer> {
  return readFile(join(folder, name));
}

async function readJsonFile(path: string): Promise<Json> {
  return JSON.parse(await readFile(path, 'utf8'));
}

function expectClose(
  got: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>>,
  what: string,
): void {
  expect(Object.keys(got ?? {}).sort(), what).toEqual(Object.keys(wanted).sort());
  for (const [metric, value] of Object.entries(wanted)) {
    expect(Math.abs(got[metric]! - value), `${metric}: ${what}; ${got[metric]} for ${value}`).toBeLessThanOrEqual(
      tolerance * Math.max(1, Math.abs(value)),
    );
  }
}
