/** A check that resolves if a part of the process works. */
export type Probe = () => Promise<void>;

export interface Probes {
  /** If one of these fails, the process is not ready. */
  readonly needed: Readonly<Record<string, Probe>>;
  /** If one of these fails, the process is ready, but a part of the hub does not work. */
  readonly wanted: Readonly<Record<string, Probe>>;
  /** The workers of the hub; subject to the same timeout. */
  readonly workers?: () => Promise<WorkersSeen>;
  /** The device that the process compresses with; undefined without one. */
  readonly device?: () => DeviceSeen | undefined;
}

/** Signs of life of the hub's workers. */
export interface WorkersSeen {
  readonly living: number;
  readonly oldestSignSeconds?: number;
  readonly newestSignSeconds?: number;
}

/** A device, and how much of it is used. */
export interface DeviceSeen {
  readonly name: string;
  /** Bytes of its memory that the process may use, and those that it uses. */
  readonly memoryBytes: number;
  readonly memoryUsedBytes: number;
  /** Seconds since the start in which it had work: their rate is the utilisation. */
  readonly busySeconds: number;
}

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not-ready';
  /** The answer names failed parts only; details go to the log. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
  readonly workers?: WorkersSeen;
  readonly device?: DeviceSeen;
}

/** Longest time a probe may take, in ms. */
const probeTimeoutMs = 3_000;
/** An answer is reused this long, in ms: probes write to the store, and anyone may send requests. */
const reuseMs = 1_000;

/** Runs all probes in parallel, at most one round at a time. */
export function createReadiness(
  probes: Probes,
  onFailure: (name: string, error: unknown) => void,
): () => Promise<Readiness> {
  let latest: { endedMs: number; readonly answer: Promise<Readiness> } | undefined;
  return () => {
    if (latest === undefined || performance.now() - latest.endedMs > reuseMs) {
      const round = {
        endedMs: Infinity,
        answer: runProbes(probes, onFailure).finally(() => (round.endedMs = performance.now())),
      };
      latest = round;
    }
    return latest.answer;
  };
}

async function runProbes(
  { needed, wanted, workers: seeWorkers, device: seeDevice }: Probes,
  onFailure: (name: string, error: unknown) => void,
): Promise<Readiness> {
  const ask = async (name: string, probe: Probe): Promise<readonly [string, 'ok' | 'failed']> => {
    try {
      await withDeadline(probe());
      return [name, 'ok'];
    } catch (error) {
      onFailure(name, error);
      return [name, 'failed'];
    }
  };
  const askAll = (all: Readonly<Record<string, Probe>>) =>
    Promise.all(Object.entries(all).map(([name, probe]) => ask(name, probe)));
  // If this fails, a probe of the catalog fails too and reports it.
  const seen = seeWorkers && withDeadline(seeWorkers()).catch(() => undefined);
  const [fatal, other, workers] = await Promise.all([askAll(needed), askAll(wanted), seen]);
  const allOk = (results: typeof fatal): boolean => results.every(([, result]) => result === 'ok');
  const status = allOk(fatal) ? (allOk(other) ? 'ready' : 'degraded') : 'not-ready';
  const device = seeDevice?.();
  return {
    status,
    checks: Object.fromEntries([...fatal, ...other]),
    ...(workers !== undefined && { workers }),
    ...(device !== undefined && { device }),
  };
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${probeTimeoutMs} ms`)), probeTimeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
