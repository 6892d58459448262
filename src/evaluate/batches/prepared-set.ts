import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import { isHalf } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { isFeedable, type EvaluationGraph, type FeedableDtype, type WeightFeed } from '../../graph/evaluation-graph.ts';
import type { NativeCore } from '../../native/core.ts';
import { checkSpec, type RowPlan } from '../check-spec.ts';
import type { LocalEvalSet } from '../evaluation-request.ts';
import { feedElements, type FeedElements } from './feed-elements.ts';
import { openTensors, type LocalTensor } from './local-tensors.ts';
import type { NumberTensor } from '../metrics/metric-accumulator.ts';
import { loadFailure } from '../runtime-failure.ts';
import { sessionOptions } from '../device/session-options.ts';

/** The runtime's names of the types that can be fed. */
export const runtimeTypes = {
  F32: 'float32',
  F64: 'float64',
  F16: 'float16',
  BOOL: 'bool',
  U8: 'uint8',
  I8: 'int8',
  U16: 'uint16',
  I16: 'int16',
  U32: 'uint32',
  I32: 'int32',
  U64: 'uint64',
  I64: 'int64',
} as const satisfies Record<FeedableDtype, Tensor.Type>;

/** A column of the batches, ready to be sliced by rows. */
interface InputColumn {
  readonly input: string;
  readonly dtype: FeedableDtype;
  readonly rowShape: readonly number[];
  readonly elements: FeedElements;
}

/** An eval set loaded in an evaluation child: its session without weights, its inputs and labels. */
export interface PreparedSet extends RowPlan {
  readonly session: InferenceSession;
  /** What the session runs on. */
  readonly device: DeviceKind;
  readonly feeds: readonly WeightFeed[];
  readonly inputs: readonly InputColumn[];
  /** Tensors of the batches that are neither fed nor labels. */
  readonly unusedColumns: readonly string[];
  /** All labels as doubles, by name. */
  readonly labels: ReadonlyMap<string, NumberTensor>;
}

export interface PrepareRequest {
  readonly core: Pick<NativeCore, 'convert' | 'mapFileSync'>;
  readonly evalSet: LocalEvalSet;
  /** The set's graph, rewritten so that weights can be fed. */
  readonly evaluation: EvaluationGraph;
  /** The processor when absent. */
  readonly device?: DeviceKind | undefined;
}

/**
 * Loads the batches and creates the session ({@link sessionOptions}). Errors: those of {@link checkSpec},
 * `graph-invalid`, `eval-memory`, `eval-device`.
 */
export async function prepareSet({ core, evalSet, evaluation, device = 'cpu' }: PrepareRequest): Promise<PreparedSet> {
  const { spec } = evalSet;
  const { bytes, graph, feeds } = evaluation;
  const batches = openTensors([evalSet.batchesPath], core.mapFileSync);
  const rowPlan = checkSpec({ spec, graph, batches });
  const inputs = await Promise.all(
    graph.inputs.map((input) =>
      inputColumn(
        core,
        { name: input.name, dtype: input.dtype as FeedableDtype },
        batches.get(spec.inputs[input.name]!)!,
      ),
    ),
  );
  const labels = await labelColumns(
    core,
    spec.metrics.flatMap((metric) => metric.labels ?? []),
    batches,
  );
  const session = await createSession(bytes, device);
  const used = new Set([...Object.values(spec.inputs), ...labels.keys()]);
  return {
    ...rowPlan,
    session,
    device,
    feeds,
    inputs,
    labels,
    unusedColumns: [...batches.keys()].filter((name) => !used.has(name)),
  };
}

/** A session as all evaluations use it. Errors: `graph-invalid`, `eval-memory`, `eval-device`. */
export async function createSession(
  bytes: Uint8Array,
  device: DeviceKind,
  options: Pick<InferenceSession.SessionOptions, 'optimizedModelFilePath'> = {},
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(bytes, { ...options, ...sessionOptions(device) });
  } catch (cause) {
    throw loadFailure(cause, device);
  }
}

async function inputColumn(
  core: Pick<NativeCore, 'convert'>,
  input: { name: string; dtype: FeedableDtype },
  tensor: LocalTensor,
): Promise<InputColumn> {
  const elements = await feedElements(core, tensor.bytes, { from: tensor.dtype, to: input.dtype });
  return { input: input.name, dtype: input.dtype, rowShape: tensor.shape.slice(1), elements };
}

async function labelColumns(
  core: Pick<NativeCore, 'convert'>,
  names: readonly string[],
  batches: ReadonlyMap<string, LocalTensor>,
): Promise<Map<string, NumberTensor>> {
  const columns = new Map<string, NumberTensor>();
  for (const name of names) {
    const tensor = batches.get(name);
    if (tensor === undefined || columns.has(name)) continue;
    const { dtype, shape } = tensor;
    columns.set(name, {
      dims: shape,
      data: await doublesOf(core, tensor),
      column: { name, dtype, rows: shape[0] ?? 0, rowStart: 0 },
    });
  }
  return columns;
}

/** Labels as doubles; 64-bit integers beyond 2^53, which cannot be valid labels, lose their low bits. */
async function doublesOf(
  core: Pick<NativeCore, 'convert'>,
  { name, dtype, bytes }: LocalTensor,
): Promise<Float64Array> {
  if (isHalf(dtype)) return (await feedElements(core, bytes, { from: dtype, to: 'F64' })) as Float64Array;
  if (!isFeedable(dtype))
    throw new FirnError(
      'eval-label-mismatch',
      `Labels ${quoteName(name)} have a type that cannot be labels (${dtype}).`,
    );
  const elements = await feedElements(core, bytes, { from: dtype, to: dtype });
  return Float64Array.from(elements as ArrayLike<number | bigint>, Number);
}
