/** A named check that resolves when the part works. */
export type Probes = Readonly<Record<string, () => Promise<void>>>;

export interface Readiness {
  readonly ready: boolean;
  /** Sentences about failures go to the log; the answer only says which part. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

/** Longest time a probe may take, in ms. */
const probeTimeoutMs = 3_000;
/** An answer is reused this long, in ms: probes write, and anyone may ask. */
const reuseMs = 1_000;

/** Runs all probes at once, at most one round at a time. */
export function createReadiness(probes: Probes, onFailure: (name: string, error: unknown) => void): () => Promise<Readiness> {
  let latest: { readonly startedMs: number; readonly answer: Promise<Readiness> } | undefined;
  return () => {
    if (latest === undefined || performance.now() - latest.startedMs > reuseMs) {
      latest = { startedMs: performance.now(), answer: runProbes(probes, onFailure) };
    }
    return latest.answer;
  };
}

async function runProbes(probes: Probes, onFailure: (name: string, error: unknown) => void): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(probes).map(async ([name, probe]) => {
      try {
        await withDeadline(probe());
        return [name, 'ok'] as const;
      } catch (error) {
        onFailure(name, error);
        return [name, 'failed'] as const;
      }
    }),
  );
  return { ready: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
}

async function withDeadline(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${probeTimeoutMs} ms`)), probeTimeoutMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
