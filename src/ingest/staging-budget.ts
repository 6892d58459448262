import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { IngestLimits } from './ingest-limits.ts';

/** Room taken for one arriving body. */
export interface StagingTicket {
  /** Says that the body has grown to `sizeBytes`, announced or not. Throws `overloaded` when there is no room for it. */
  readonly grow: (sizeBytes: number) => void;
  readonly release: () => void;
}

/** The checkpoint that its run waits for may use this many times the run's room: those after it may have taken all of it, and are compressed only after it. */
const nextInOrderFactor = 2;
/** Checkpoints of a run looked at in one page. */
const pageCheckpoints = 100;

/**
 * Admission of bodies: what the catalog knows as staged and what is arriving in this process stay below the limits, per run and in total.
 * Other processes' arriving bodies are not seen, so several gateways may overshoot by what is in flight.
 */
export class StagingBudget {
  readonly #limits: Pick<IngestLimits, 'stagedBytesPerRunMax' | 'stagedBytesMax'>;
  readonly #arriving = new Set<{ readonly runId: string; readonly checkpointId: string; sizeBytes: number }>();

  constructor(limits: Pick<IngestLimits, 'stagedBytesPerRunMax' | 'stagedBytesMax'>) {
    this.#limits = limits;
  }

  /** Takes room for a body of `sizeBytes`, 0 when its length is unknown. Throws `overloaded`. */
  async admit(catalog: Catalog, checkpoint: Pick<Checkpoint, 'id' | 'runId' | 'sequence'>, sizeBytes: number): Promise<StagingTicket> {
    const { runId } = checkpoint;
    const body = { runId, checkpointId: checkpoint.id, sizeBytes };
    // Entered before the catalog is asked, so that bodies admitted at the same time see each other.
    this.#arriving.add(body);
    const release = (): void => void this.#arriving.delete(body);
    try {
      const ofRunBytes = await catalog.files.stagedBytes(runId);
      const inAllBytes = await catalog.files.stagedBytes();
      const roomy = ofRunBytes + this.#arrivingBytes(runId) <= this.#limits.stagedBytesPerRunMax;
      const perRunMaxBytes = this.#limits.stagedBytesPerRunMax * (roomy || !(await isNextInOrder(catalog, checkpoint)) ? 1 : nextInOrderFactor);
      const check = (): void => {
        if (ofRunBytes + this.#arrivingBytes(runId) > perRunMaxBytes)
          throw new FirnError('overloaded', 'Too many bytes of this run wait for compression; try again later.');
        if (inAllBytes + this.#arrivingBytes() > this.#limits.stagedBytesMax)
          throw new FirnError('overloaded', 'Too many bytes wait for compression; try again later.');
      };
      check();
      return {
        grow: (grownBytes) => {
          if (grownBytes <= body.sizeBytes) return;
          body.sizeBytes = grownBytes;
          check();
        },
        release,
      };
    } catch (err) {
      release();
      throw err;
    }
  }

  /** True while a body of the checkpoint arrives in this process. */
  isArriving(checkpointId: string): boolean {
    return [...this.#arriving].some((body) => body.checkpointId === checkpointId);
  }

  #arrivingBytes(runId?: string): number {
    let sum = 0;
    for (const body of this.#arriving) if (runId === undefined || body.runId === runId) sum += body.sizeBytes;
    return sum;
  }
}

/** True when every earlier checkpoint of the run is settled, so that nothing but this one keeps the later ones waiting. */
async function isNextInOrder(catalog: Catalog, { runId, sequence }: Pick<Checkpoint, 'runId' | 'sequence'>): Promise<boolean> {
  for (let after: string | undefined; ;) {
    const page = await catalog.checkpoints.list(runId, { limit: pageCheckpoints, ...(after !== undefined && { after }) });
    const earlier = page.filter((checkpoint) => checkpoint.sequence < sequence);
    if (earlier.some(({ state }) => state === 'open' || state === 'queued' || state === 'working')) return false;
    if (earlier.length < pageCheckpoints) return true;
    after = String(page.at(-1)!.sequence);
  }
}
