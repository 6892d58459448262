import type {
  BodyReservationRecords,
  BytesToReserve,
} from '../../catalog/contract/uploads/body-reservation-records.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { storedSize } from '../../store/frame/object-frame.ts';
import type { IngestLimits } from '../ingest-limits.ts';

/** A reservation for one arriving body. */
export interface StagingTicket {
  /** Release it in the transaction that records the body. */
  readonly bodyReservationId: string;
  /**
   * Reports that the body has grown to `sizeBytes`, announced or not. Rejects with `overloaded` or `quota-exceeded` if
   * there is no room for it; returns nothing to await if the reservation is large enough.
   */
  readonly grow: (sizeBytes: number) => void | Promise<void>;
  /**
   * Releases the reservation unless a record has taken it over. Never rejects: a reservation that cannot be released
   * expires.
   */
  readonly release: () => Promise<void>;
}

/**
 * Factor on the run's limit for the checkpoint that its run waits for. Later checkpoints may use up the limit, and are
 * compressed only after this one.
 */
const nextInOrderFactor = 2;
/** Checkpoints of a run read in one page. */
const pageCheckpoints = 100;
/** Bytes reserved ahead for a body of unknown length, so that not every piece needs a query. */
const growthBytes = 16 * 1024 * 1024;
/** How long a reservation lasts without renewal, in ms: a gateway that is stuck longer counts as dead. */
const ttlMs = 60_000;
/** Renewals in that time. */
const renewalsPerTtl = 3;

type Limits = Pick<IngestLimits, 'stagedBytesPerRunMax' | 'stagedBytesMax'>;
type Place = Pick<Checkpoint, 'id' | 'runId' | 'sequence'>;

/**
 * Admission of bodies. Staged and arriving bytes, at all gateways, stay below the limits, per run and in total, and all
 * bytes of a namespace below its quota. The catalog keeps the account, in bytes of the store.
 */
export class StagingBudget {
  readonly #limits: Limits;
  readonly #newId: () => string;

  constructor(limits: Limits, newId: () => string) {
    this.#limits = limits;
    this.#newId = newId;
  }

  /**
   * Reserves room for a body of `sizeBytes`, undefined if its length is unknown. Rejects with `overloaded` or
   * `quota-exceeded`.
   */
  async admit(catalog: Catalog, place: Place, sizeBytes: number | undefined): Promise<StagingTicket> {
    const { stagedBytesPerRunMax: runBytesMax, stagedBytesMax: bytesMax } = this.#limits;
    return this.#ticket(catalog, sizeBytes, async (body) => {
      const reservation = { ...body, runId: place.runId, checkpointId: place.id };
      const taken = await catalog.bodyReservations.take(reservation, { runBytesMax, bytesMax });
      if (taken !== 'run-full' || !(await isNextInOrder(catalog, place))) return taken;
      return catalog.bodyReservations.take(reservation, { runBytesMax: nextInOrderFactor * runBytesMax, bytesMax });
    });
  }

  /** Like `admit`, for a part of an eval set, which only the quota limits. */
  async admitPart(catalog: Catalog, evalSetId: string, sizeBytes: number | undefined): Promise<StagingTicket> {
    const unbounded = { runBytesMax: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
    return this.#ticket(catalog, sizeBytes, (body) => catalog.bodyReservations.take({ ...body, evalSetId }, unbounded));
  }

  /** Like `admit`, for a file of a repository's commits, which no run's limit bounds. */
  async admitBlob(catalog: Catalog, repositoryId: string, sizeBytes: number | undefined): Promise<StagingTicket> {
    const limits = { runBytesMax: Number.MAX_SAFE_INTEGER, bytesMax: this.#limits.stagedBytesMax };
    return this.#ticket(catalog, sizeBytes, (body) => catalog.bodyReservations.take({ ...body, repositoryId }, limits));
  }

  async #ticket(
    catalog: Catalog,
    sizeBytes: number | undefined,
    take: (body: BytesToReserve) => ReturnType<BodyReservationRecords['take']>,
  ): Promise<StagingTicket> {
    const reservation = { id: this.#newId(), ttlMs, aheadBytes: sizeBytes === undefined ? growthBytes : 0 };
    const takeRoom = async (bodyBytes: number): Promise<number> =>
      takenBytes(await take({ ...reservation, sizeBytes: storedSize(bodyBytes) }));
    let roomBytes = await takeRoom(sizeBytes ?? 0);
    const renewing = setInterval(
      () => void catalog.bodyReservations.renew(reservation.id, ttlMs).catch(() => undefined),
      ttlMs / renewalsPerTtl,
    ).unref();
    return {
      bodyReservationId: reservation.id,
      grow: (grownBytes) => {
        if (storedSize(grownBytes) <= roomBytes) return undefined;
        return takeRoom(grownBytes).then((bytes) => {
          roomBytes = bytes;
        });
      },
      release: async () => {
        clearInterval(renewing);
        await catalog.bodyReservations.release(reservation.id).catch(() => undefined);
      },
    };
  }
}

function takenBytes(taken: Awaited<ReturnType<BodyReservationRecords['take']>>): number {
  if (taken === 'over-quota')
    throw new FirnError(
      'quota-exceeded',
      'The namespace has no room left for this under its quota; delete checkpoints, or ask for a larger quota.',
    );
  if (taken === 'run-full')
    throw new FirnError('overloaded', 'Too many bytes of this run wait for compression; try again later.');
  if (taken === 'full') throw new FirnError('overloaded', 'Too many bytes wait for compression; try again later.');
  return taken.takenBytes;
}

/**
 * True if every earlier checkpoint of the run is finished, so that only this one blocks the later ones.
 */
async function isNextInOrder(
  catalog: Catalog,
  { runId, sequence }: Pick<Checkpoint, 'runId' | 'sequence'>,
): Promise<boolean> {
  for (let after: string | undefined; ;) {
    const page = await catalog.checkpoints.list(runId, {
      limit: pageCheckpoints,
      ...(after !== undefined && { after }),
    });
    const earlier = page.filter((checkpoint) => checkpoint.sequence < sequence);
    if (earlier.some(({ state }) => state === 'open' || state === 'queued' || state === 'working')) return false;
    if (earlier.length < pageCheckpoints) return true;
    after = String(page.at(-1)!.sequence);
  }
}
