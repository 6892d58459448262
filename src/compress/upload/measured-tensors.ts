import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import type { SourceFile } from './model-source.ts';

/** Coverage by the metrics of the model tensors that no initializer of the graph is bound to. */
export interface MeasuredTensors {
  /** Tensors that affect no metric. */
  readonly unmeasured: ReadonlySet<string>;
  /**
   * Tensors bit-identical to a bound tensor, whose name is the value: an exporter merges equal weights, and the metrics
   * apply to both.
   */
  readonly twins: ReadonlyMap<string, string>;
}

/** The parts of a file that are read. */
type ModelFile = Pick<SourceFile, 'role' | 'layout' | 'reader'>;

interface Placed {
  readonly file: ModelFile;
  readonly entry: TensorEntry;
}

/**
 * Classifies the model tensors that the graph does not use. Reads them and the bound ones of their dtype and shape.
 * Rejects with the store's errors.
 */
export async function findMeasured(
  binding: WeightBinding,
  files: readonly ModelFile[],
  signal?: AbortSignal,
): Promise<MeasuredTensors> {
  const bound = new Set(Object.values(binding).map(({ tensor }) => tensor));
  const all = files
    .filter((file) => file.role === 'model')
    .flatMap((file) => file.layout.tensors.map((entry): Placed => ({ file, entry })));
  const unused = all.filter(({ entry }) => !bound.has(entry.name));
  const unusedLayouts = new Set(unused.map(layoutOf));
  const candidates = all.filter((placed) => bound.has(placed.entry.name) && unusedLayouts.has(layoutOf(placed)));
  const candidateLayouts = new Set(candidates.map(layoutOf));
  const boundByContent = new Map<string, string>();
  for (const placed of candidates) {
    const content = await contentOf(placed, signal);
    if (!boundByContent.has(content)) boundByContent.set(content, placed.entry.name);
  }
  const unmeasured = new Set<string>();
  const twins = new Map<string, string>();
  for (const placed of unused) {
    const twin = candidateLayouts.has(layoutOf(placed))
      ? boundByContent.get(await contentOf(placed, signal))
      : undefined;
    if (twin === undefined) unmeasured.add(placed.entry.name);
    else twins.set(placed.entry.name, twin);
  }
  return { unmeasured, twins };
}

function layoutOf({ entry }: Placed): string {
  return `${entry.dtype} ${entry.shape.join('x')}`;
}

async function contentOf(placed: Placed, signal?: AbortSignal): Promise<string> {
  const { file, entry } = placed;
  const { sha256 } = await digestBytes(file.reader.stream(entry.startBytes, entry.endBytes, signal));
  return `${layoutOf(placed)} ${sha256}`;
}
