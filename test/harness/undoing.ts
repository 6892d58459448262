/**
 * Runs work and then its clean-up functions, the last one first, however the work ends. A failing clean-up does not
 * stop the others.
 */
export async function undoing<T>(work: (later: (undo: () => unknown) => void) => Promise<T>): Promise<T> {
  const undos: (() => unknown)[] = [];
  try {
    return await work((undo) => undos.unshift(undo));
  } finally {
    for (const undo of undos)
      await Promise.resolve(undo()).catch((error: unknown) => process.stderr.write(`not undone: ${String(error)}\n`));
  }
}
