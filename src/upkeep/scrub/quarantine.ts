import type { Catalog } from '../../catalog/contract/catalog.ts';
import { pageLimitMax } from '../../catalog/db/page-limit.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { forwardedStore } from '../../store/watch/forwarded-store.ts';

/**
 * Other processes learn of damage within this time, in ms. Until then, and while the catalog is unreachable, the
 * store's checksums protect readers; they are always checked.
 */
const refreshMs = 5_000;
/** Most keys in memory. */
const keysMax = 100_000;

/** The keys of damaged objects, as last read from the catalog. */
export class Quarantine {
  readonly #catalog: Pick<Catalog, 'damage'>;
  readonly #refreshMs: number;
  #keys: ReadonlySet<string> = new Set();
  #askedAtMs = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(catalog: Pick<Catalog, 'damage'>, options: { readonly refreshMs?: number } = {}) {
    this.#catalog = catalog;
    this.#refreshMs = options.refreshMs ?? refreshMs;
  }

  async has(key: string): Promise<boolean> {
    if (performance.now() - this.#askedAtMs >= this.#refreshMs) {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
      await this.#asking;
    }
    return this.#keys.has(key);
  }

  async #ask(): Promise<void> {
    const askedAtMs = performance.now();
    try {
      const keys = new Set<string>();
      for (let after = ''; keys.size < keysMax;) {
        const page = await this.#catalog.damage.list({ limit: pageLimitMax, after });
        for (const { key } of page) keys.add(key);
        if (page.length < pageLimitMax) break;
        after = page.at(-1)!.key;
      }
      this.#keys = keys;
    } catch {
      // If the catalog does not answer, the last known keys remain. Reads continue, and so do checksums.
    }
    this.#askedAtMs = askedAtMs;
  }
}

/**
 * The store, in which objects in quarantine cannot be opened: `open` rejects with `corrupt-object` before anything is
 * read.
 */
export function quarantinedStore(store: ObjectStore, quarantine: Quarantine): ObjectStore {
  return forwardedStore(store, {
    async open(key) {
      if (await quarantine.has(key))
        throw new FirnError('corrupt-object', 'A stored object is damaged, and kept from being read.', {
          detail: `${key} is in quarantine`,
        });
      return store.open(key);
    },
  });
}
