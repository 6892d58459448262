import type { Catalog } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { IngestLimits } from './ingest-limits.ts';

/** Room taken for one arriving body. */
export interface StagingTicket {
  /** Says that the body has grown to `sizeBytes`, announced or not. Throws `overloaded` when there is no room for it. */
  grow(sizeBytes: number): void;
  release(): void;
}

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
  async admit(catalog: Catalog, { runId, checkpointId, sizeBytes }: { runId: string; checkpointId: string; sizeBytes: number }): Promise<StagingTicket> {
    const body = { runId, checkpointId, sizeBytes };
    // Entered before the catalog is asked, so that bodies admitted at the same time see each other.
    this.#arriving.add(body);
    const release = (): void => void this.#arriving.delete(body);
    try {
      const ofRunBytes = await catalog.files.stagedBytes(runId);
      const inAllBytes = await catalog.files.stagedBytes();
      const check = (): void => this.#check(runId, ofRunBytes, inAllBytes);
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

  #check(runId: string, ofRunBytes: number, inAllBytes: number): void {
    let run = ofRunBytes;
    let all = inAllBytes;
    for (const body of this.#arriving) {
      if (body.runId === runId) run += body.sizeBytes;
      all += body.sizeBytes;
    }
    if (run > this.#limits.stagedBytesPerRunMax) throw new FirnError('overloaded', 'Too many bytes of this run wait for compression; try again later.');
    if (all > this.#limits.stagedBytesMax) throw new FirnError('overloaded', 'Too many bytes wait for compression; try again later.');
  }
}
