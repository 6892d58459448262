import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GramOptions, GramRequest } from '../../evaluate/evaluation-request.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import { gptqBlockMax, type GptqPlace, type NativeCore } from '../../native/core.ts';
import type { SourceFile } from '../upload/model-source.ts';

/** By file number, by tensor number: the data that GPTQ needs to round a matrix. */
export type GramMatrices = readonly ReadonlyMap<number, GptqPlace>[];

/**
 * Most bytes of all Gram matrices of a model; larger matrices are cut into blocks on the diagonal. They stay in memory
 * while a checkpoint is in work.
 */
export const gramsMaxBytes = 64 * 1024 * 1024;
/** Most batches measured, spread over the set: a convolution's Gram matrix costs several times the convolution. */
const batchesMax = 32;
/**
 * Added to the diagonal, in units of its mean. Far more than inverting the matrix needs: the eval batches are few, and
 * weights that they hardly use must not take all the errors. Measured on the data's language and vision series; see
 * docs/decisions/0014-rounding-with-feedback.md.
 */
const damping = 1;

/** Measures second moments of the matrices' inputs, like `QualityGate`. */
export interface GramMeter {
  inputGrams(
    request: Omit<GramOptions, 'firstHalf'> & Pick<GramRequest, 'weightPaths'>,
    signal?: AbortSignal,
  ): Promise<readonly InputGram[]>;
}

/** The matrices that {@link measureGramMatrices} wants, as a file in `directory`. */
export function wantedGrams(directory: string): Omit<GramOptions, 'firstHalf'> {
  return { resultPath: join(directory, 'input-grams.f32'), bytesMax: gramsMaxBytes, batchesMax };
}

export interface GramMatricesRequest {
  readonly gate: GramMeter;
  /** Those that are in the file already; absent if they are still to be measured. */
  readonly measured?: readonly InputGram[] | undefined;
  /** The uploaded weights. */
  readonly weightPaths: readonly string[];
  /** Scratch directory for the matrices while they are read. */
  readonly directory: string;
  readonly files: readonly SourceFile[];
  /**
   * Tensors that the graph does not use, with the bit-identical one that it does: both are rounded alike.
   */
  readonly twins: ReadonlyMap<string, string>;
  readonly core: NativeCore;
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Second moments of each matrix's inputs. If they are not measured yet, the eval batches run through the uploaded
 * weights once more.
 * Uses the first half of the batches only, if the second half is to confirm. A failure costs bytes, not correctness: it
 * causes a warning, and the checkpoint is quantized without Gram matrices. Rejects only with `cancelled`.
 */
export async function measureGramMatrices(request: GramMatricesRequest): Promise<GramMatrices | undefined> {
  const { gate, weightPaths, directory, files, twins, core, warn, signal } = request;
  const wanted = wantedGrams(directory);
  try {
    const grams = request.measured ?? (await gate.inputGrams({ weightPaths, ...wanted }, signal));
    const places = files.map(() => new Map<number, GptqPlace>());
    const file = await open(wanted.resultPath, 'r');
    try {
      for (const gram of grams) await addPlace(gram, await readGram(file, gram), { files, places, core, signal });
    } finally {
      await file.close();
    }
    sharePlaces(twins, files, places);
    return places;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code === 'cancelled') throw error;
    warn(
      `The inputs of the matrices could not be measured (${error.message}), so the checkpoint takes more ` +
        'bytes than it could.',
    );
    return undefined;
  }
}

/** Gives the place of each tensor that is used to its twins. */
function sharePlaces(
  twins: ReadonlyMap<string, string>,
  files: readonly SourceFile[],
  places: readonly Map<number, GptqPlace>[],
): void {
  if (twins.size === 0) return;
  const entries = files.flatMap(({ layout }, file) =>
    layout.tensors.map(({ name }, tensor) => ({ name, file, tensor })),
  );
  const placeOf = new Map(entries.map(({ name, file, tensor }) => [name, places[file]!.get(tensor)]));
  for (const { name, file, tensor } of entries) {
    const place = placeOf.get(twins.get(name) ?? '');
    if (place !== undefined) places[file]!.set(tensor, place);
  }
}

async function readGram(
  file: Awaited<ReturnType<typeof open>>,
  { inputCount, blockSize }: InputGram,
): Promise<Float32Array> {
  const gram = new Float32Array(inputCount * blockSize);
  const { bytesRead } = await file.read(new Uint8Array(gram.buffer));
  if (bytesRead !== gram.byteLength)
    throw new FirnError('eval-crashed', 'The evaluation process left its result unfinished.');
  return gram;
}

interface Places {
  readonly files: readonly SourceFile[];
  readonly places: readonly Map<number, GptqPlace>[];
  readonly core: NativeCore;
  readonly signal: AbortSignal;
}

async function addPlace(gram: InputGram, matrix: Float32Array, { files, places, core, signal }: Places): Promise<void> {
  const { tensor: name, inputs: axis, inputCount: inputs, blockSize: size } = gram;
  const file = files.findIndex(
    ({ role, layout }) => role === 'model' && layout.tensors.some((entry) => entry.name === name),
  );
  if (file < 0 || size > gptqBlockMax) return;
  const tensor = files[file]!.layout.tensors.findIndex((entry) => entry.name === name);
  const { elementCount } = files[file]!.layout.tensors[tensor]!;
  if (elementCount === 0 || elementCount % inputs !== 0) return;
  const factor = await core.gramFactor(matrix, { size, damping }, signal);
  places[file]!.set(tensor, { factor, size, inputs, outputs: elementCount / inputs, inputsLast: axis === 'last' });
}
