/**
 * Rejects when the person at the terminal, or the parent process, interrupts a demo or a bench. Everything started and
 * written is then cleaned up as after any failure.
 */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}
