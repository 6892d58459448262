import type { Logger } from 'pino';

/** One independent part of a shutdown. */
export interface ShutdownStep {
  /** For the log. */
  readonly name: string;
  /** A step that takes longer is abandoned, in ms. */
  readonly deadlineMs: number;
  readonly end: () => Promise<void>;
}

/**
 * Ends things in order: the steps of a phase at once, phases one after the other; logs each step by its name. A failure
 * does not stop later steps. Rejects at the end with the first failure.
 */
export async function shutDown(
  phases: readonly (readonly ShutdownStep[])[],
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const steps of phases)
    await Promise.all(steps.map((step) => take(step, log).catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}

async function take(
  { name, deadlineMs, end }: ShutdownStep,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Promise<void> {
  const startedMs = performance.now();
  log.info({ phase: name, deadlineMs }, 'shutting down');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'late');
  });
  try {
    const ended = await Promise.race([end(), late]);
    const fields = { phase: name, tookMs: Math.round(performance.now() - startedMs) };
    if (ended === 'late') log.warn(fields, 'left behind at its deadline');
    else log.info(fields, 'shut down');
  } catch (error) {
    log.error({ phase: name, err: error }, 'did not shut down cleanly');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
