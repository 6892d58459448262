import type { CheckpointState } from '../../../catalog/contract/checkpoint-records.ts';

/** A checkpoint's state, in a word and a colour. */
export function StateMark({ state }: { readonly state: CheckpointState }) {
  return <span class={`mark ${state}`}>{state}</span>;
}
