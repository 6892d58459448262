import type { Tracer } from '../telemetry/tracer.ts';
import type { Catalog } from './contract/catalog.ts';

/** The catalog with a span for every transaction; single statements have none, because there are too many. */
export function tracedCatalog(catalog: Catalog, tracer: Tracer): Catalog {
  return {
    ...catalog,
    transaction: (work) => tracer.span('catalog.transaction', { onlyInside: true }, () => catalog.transaction(work)),
  };
}
