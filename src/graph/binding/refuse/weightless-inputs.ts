import type { FinalUse, WeightTrace } from '../weight-trace.ts';

/** Inputs of ai.onnx operators that are no weights, with the reason. */
const weightlessInputs: Readonly<Record<string, readonly number[]>> = {
  // A region and scale factors: the size of the result.
  Resize: [1, 2],
  Upsample: [1],
  // The values for off and on.
  OneHot: [2],
  // Only the type matters.
  CastLike: [1],
  // Only the shape matters.
  Shape: [0],
  Size: [0],
};

/** The initial states of recurrent operators. */
const firstStates: Readonly<Record<string, readonly number[]>> = { GRU: [5], RNN: [5], LSTM: [5, 6] };

/** Whether a stored tensor is used only as inputs that are no weights. */
export function isWeightless(trace: WeightTrace, name: string): boolean {
  return isOnlyIn(trace, name, weightlessInputs);
}

/** Whether a stored tensor is used only as the initial state of recurrent layers. */
export function isFirstState(trace: WeightTrace, name: string): boolean {
  return isOnlyIn(trace, name, firstStates);
}

function isOnlyIn(trace: WeightTrace, name: string, table: Readonly<Record<string, readonly number[]>>): boolean {
  const uses = trace.usesOf(name);
  return uses !== undefined && uses.length > 0 && uses.every((use) => isIn(use, table));
}

function isIn({ domain, opType, index }: FinalUse, table: Readonly<Record<string, readonly number[]>>): boolean {
  return (domain === '' || domain === 'ai.onnx') && Object.hasOwn(table, opType) && table[opType]!.includes(index);
}
