import type { Tracer } from '../telemetry/tracer.ts';
import type { Catalog } from './contract/catalog.ts';

/** The catalog, in which every transaction of a piece of work is a span; single statements are too many for that. */
export function tracedCatalog(catalog: Catalog, tracer: Tracer): Catalog {
  return {
    ...catalog,
    transaction: (work) => tracer.span('catalog.transaction', { onlyInside: true }, () => catalog.transaction(work)),
  };
}
