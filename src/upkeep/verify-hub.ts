import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../catalog/contract/eval-set-records.ts';
import type { CheckpointFile } from '../catalog/contract/file-records.ts';
import type { Page } from '../catalog/contract/page.ts';
import { pageLimitMax } from '../catalog/db/page-limit.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { digestBytes } from '../restore/digest-bytes.ts';
import { Downloads, type DownloadServices } from '../restore/downloads.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { describeDamage } from './scrub/describe-damage.ts';
import { endsReading } from './scrub/examine-object.ts';
import { scrubObjects, type ScrubTotals } from './scrub/scrub-objects.ts';

export interface VerifiedHub extends ScrubTotals {
  /**
   * Live, ready checkpoints, and the number of their files that were rebuilt or read and compared with their digests.
   */
  readonly checkpoints: number;
  readonly files: number;
  /**
   * Objects that nothing names, left by deletions, merges or interrupted work; the collection of garbage removes them.
   */
  readonly unnamed: { readonly objects: number; readonly bytes: number };
  readonly problems: number;
}

/**
 * Checks that a database and a bucket belong together and are whole. Every named object exists with correct checksums,
 * every chain of a ready checkpoint is complete, and every file of it is rebuilt with its recorded digest; retained
 * uploads and eval sets have theirs. Reports each problem in one line. Rejects with `unavailable`, `overloaded`,
 * `cancelled`, and the errors of the catalog.
 */
export async function verifyHub(
  services: DownloadServices,
  onProblem: (line: string) => void,
  signal?: AbortSignal,
): Promise<VerifiedHub> {
  const { catalog, store } = services;
  const verify = new HubVerification(services, onProblem, signal);
  const totals = await scrubObjects(
    {
      catalog,
      store,
      onDamage: (found) => verify.say(describeDamage(found)),
      onUnread: (key, error) => verify.say(`unread ${key}: ${sentenceOf(error)}`),
    },
    {},
    signal,
  );
  for await (const repository of pages(
    (page) => catalog.repositories.list(page),
    ({ namespace, name }) => `${namespace}/${name}`,
  )) {
    const prefix = `${repository.namespace}/${repository.name}`;
    for await (const set of pages(
      (page) => catalog.evalSets.list(repository.id, page),
      ({ name }) => name,
    ))
      await verify.evalSet(`${prefix}/${set.name}`, set);
    for await (const run of pages(
      (page) => catalog.runs.list(repository.id, page),
      ({ name }) => name,
    ))
      for await (const checkpoint of pages(
        (page) => catalog.checkpoints.list(run.id, page),
        ({ sequence }) => String(sequence),
      ))
        await verify.checkpoint(`${prefix}/${run.name}@${checkpoint.step}`, checkpoint);
  }
  const { checkpoints, files, problems } = verify;
  return { ...totals, checkpoints, files, problems, unnamed: await countUnnamed(catalog, store, signal) };
}

class HubVerification {
  checkpoints = 0;
  files = 0;
  problems = 0;
  readonly #catalog: Catalog;
  readonly #store: ObjectStore;
  readonly #downloads: Downloads;
  readonly #onProblem: (line: string) => void;
  readonly #signal: AbortSignal | undefined;

  constructor(services: DownloadServices, onProblem: (line: string) => void, signal: AbortSignal | undefined) {
    this.#catalog = services.catalog;
    this.#store = services.store;
    this.#downloads = new Downloads(services);
    this.#onProblem = onProblem;
    this.#signal = signal;
  }

  say(line: string): void {
    this.problems += 1;
    this.#onProblem(line);
  }

  async evalSet(name: string, { graphKey, graphSha256, batchesKey, batchesSha256 }: EvalSet): Promise<void> {
    await this.#checking(`eval set ${name} graph`, async () =>
      graphKey === undefined ? undefined : (await this.#objectSha256(graphKey)) === graphSha256,
    );
    await this.#checking(`eval set ${name} batches`, async () =>
      batchesKey === undefined ? undefined : (await this.#objectSha256(batchesKey)) === batchesSha256,
    );
  }

  async checkpoint(name: string, checkpoint: Checkpoint): Promise<void> {
    const isReady = checkpoint.state === 'ready';
    if (isReady) {
      this.checkpoints += 1;
      await this.#checking(
        `${name} chain`,
        async () =>
          checkpoint.packageId === undefined || (await this.#catalog.packages.chain(checkpoint.packageId)).length > 0,
      );
    }
    for (const file of await this.#catalog.files.list(checkpoint.id)) {
      this.#signal?.throwIfAborted();
      if (isReady && file.storage !== undefined)
        await this.#checking(`${name} ${file.path}`, () => this.#comesBack(checkpoint, file));
      // Files that wait for their encode, files of failed checkpoints, and retained uploads.
      const { rawKey, sha256 } = file;
      if (rawKey !== undefined && (!isReady || file.storage !== 'raw'))
        await this.#checking(
          `${name} ${file.path} as uploaded`,
          async () => (await this.#objectSha256(rawKey)) === sha256,
        );
    }
  }

  async #comesBack(checkpoint: Checkpoint, file: CheckpointFile): Promise<boolean> {
    this.files += 1;
    const opened = await this.#downloads.openFile(checkpoint, file);
    try {
      const { sha256, sizeBytes } = await digestBytes(opened.stream(0, opened.sizeBytes, this.#signal));
      return sha256 === file.resultSha256 && sizeBytes === file.resultBytes;
    } finally {
      await opened.close();
    }
  }

  async #objectSha256(key: string): Promise<string> {
    const reader = await this.#store.open(key);
    try {
      return (await digestBytes(reader.stream(0, reader.sizeBytes, this.#signal))).sha256;
    } finally {
      await reader.close();
    }
  }

  async #checking(what: string, isRight: () => Promise<boolean | undefined>): Promise<void> {
    try {
      if ((await isRight()) === false) this.say(`${what}: its digest is not the recorded one`);
    } catch (error) {
      if (!(error instanceof FirnError) || endsReading.has(error.code)) throw error;
      this.say(`${what}: ${sentenceOf(error)}`);
    }
  }
}

/** Every item of a paged list, in its order. */
async function* pages<T>(list: (page: Page) => Promise<readonly T[]>, tokenOf: (last: T) => string): AsyncGenerator<T> {
  for (let page: Page = { limit: pageLimitMax }; ;) {
    const items = await list(page);
    yield* items;
    if (items.length < pageLimitMax) return;
    page = { limit: pageLimitMax, after: tokenOf(items.at(-1)!) };
  }
}

async function countUnnamed(
  catalog: Catalog,
  store: ObjectStore,
  signal: AbortSignal | undefined,
): Promise<VerifiedHub['unnamed']> {
  let unnamed = { objects: 0, bytes: 0 };
  let batch: { readonly key: string; readonly storedBytes: number }[] = [];
  const count = async (): Promise<void> => {
    const named = new Set(await catalog.objects.named(batch.map(({ key }) => key)));
    for (const { key, storedBytes } of batch)
      if (!named.has(key)) unnamed = { objects: unnamed.objects + 1, bytes: unnamed.bytes + storedBytes };
    batch = [];
  };
  for await (const object of store.list('')) {
    signal?.throwIfAborted();
    batch.push(object);
    if (batch.length === pageLimitMax) await count();
  }
  await count();
  return unnamed;
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof FirnError)) return String(error);
  return error.detail === undefined ? error.message : `${error.message} (${error.detail})`;
}
