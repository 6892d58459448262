import { randomBytesOf } from '../acceptance/random-numbers.ts';
import { safetensorsFile } from '../acceptance/safetensors-file.ts';
import { movingFile } from '../crash/crash-clients.ts';
import { sha256 } from '../harness/ask.ts';

/** The files of a checkpoint. Contents come from small pools, so that runs share files and tensors. */
export interface Content {
  readonly files: readonly { readonly path: string; readonly bytes: Buffer; readonly sha256: string }[];
  /** Whether downloads equal the uploads byte for byte. */
  readonly isExact: boolean;
}

export const modelPath = 'model.safetensors';
/** Number of different models of exact runs, and of different other files. */
const modelsMax = 150;
const besidesMax = 40;
/** A model has two tensors that vary independently, so that the hub often has one of them already. */
const tensorElements = 1024;

const cache = new Map<string, Content['files'][number]>();

function fileOf(path: string, id: string, make: () => Buffer): Content['files'][number] {
  const key = `${path} ${id}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const bytes = make();
  const file = { path, bytes, sha256: sha256(bytes) };
  cache.set(key, file);
  return file;
}

function exactModel(number: number): Buffer {
  const tensor = (seed: number) => ({
    dtype: 'BF16',
    shape: [32, tensorElements / 32],
    bytes: randomBytesOf(2 * tensorElements, seed),
  });
  return safetensorsFile({ 'a.weight': tensor(number % 12), 'b.weight': tensor(100 + number) });
}

export function exactContent(random: () => number, withBeside: boolean): Content {
  const number = Math.floor(random() * modelsMax);
  const model = fileOf(modelPath, `exact ${number}`, () => exactModel(number));
  const beside = Math.floor(random() * besidesMax);
  const files = withBeside
    ? [model, fileOf('vocab.bin', `${beside}`, () => randomBytesOf(3000 + 97 * beside, 5000 + beside))]
    : [model];
  return { files, isExact: true };
}

/** Content of a lossy run whose deltas are merged. */
export function movingContent(step: number): Content {
  return { files: [fileOf(modelPath, `moving ${step}`, () => movingFile(step))], isExact: false };
}
