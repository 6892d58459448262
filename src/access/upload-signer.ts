import type { Catalog } from '../catalog/contract/catalog.ts';
import { verifyUpload } from './upload-address.ts';

/** Paths of signed addresses: `/hub/lfs/{repository id}/{sha256}`. */
const signedPath = /^\/hub\/lfs\/([0-9a-f]{32})\/([0-9a-f]{64})$/;

/** The token that asked for a signed upload address; undefined for any other address, and for one that is not valid. */
export function uploadSigner({
  catalog,
}: {
  readonly catalog: Pick<Catalog, 'hub' | 'now'>;
}): (url: string) => Promise<string | undefined> {
  return async (text) => {
    const url = new URL(text);
    const [, repositoryId, sha256] = signedPath.exec(url.pathname) ?? [];
    if (repositoryId === undefined || sha256 === undefined) return undefined;
    const clock = {
      secret: await catalog.hub.revisions.secret(),
      nowSeconds: (await catalog.now()).getTime() / 1000,
    };
    return verifyUpload({ repositoryId, sha256 }, url.searchParams, clock)?.tokenId;
  };
}
