/** A checkpoint's state with what it waits for: `queued, waits for step 6, which is being compressed`. Pure. */
export function stateInWords(state: string, waiting?: { readonly inWords: string }): string {
  return waiting === undefined ? state : `${state}, ${waiting.inWords}`;
}
