/**
 * Runs work that leaves things to be undone, and undoes them when it ends in whatever way, the last one first; none
 * keeps the others from being undone.
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
