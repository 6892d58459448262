/** Breaking changes since openapi/released.json that are intended: the sentence of the test, and why clients pay it. */
export const intendedChanges: readonly { readonly change: string; readonly reason: string }[] = [];
