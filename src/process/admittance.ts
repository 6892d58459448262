import { openAccess, tokenAccess } from '../access/access.ts';
import { uploadSigner } from '../access/upload-signer.ts';
import { RequestLimits } from '../access/request-limits.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Config } from '../config.ts';
import type { Admittance } from '../http/request/admit.ts';

/** Access and request limits according to the configuration. */
export function admittanceOf({ config, catalog }: { readonly config: Config; readonly catalog: Catalog }): Admittance {
  const { trustProxy } = config;
  if (config.access === 'open') return { access: openAccess, trustProxy };
  const limits = new RequestLimits({
    tokenPerMinute: config.tokenPerMinute,
    anonymousPerMinute: config.anonymousPerMinute,
    concurrent: config.clientConcurrency,
  });
  return { access: tokenAccess({ catalog }), limits, trustProxy, signerOf: uploadSigner({ catalog }) };
}
