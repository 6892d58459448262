/** The hub could not be reached, or the connection broke, also on every repetition. */
export class Unreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${reasonOf(cause)}`, { cause });
    this.name = 'Unreachable';
  }
}

/** The most specific reason: fetch hides it in `cause`, and several tried addresses in `errors`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.message;
}
