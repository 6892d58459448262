import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the bearer of an upload address may do: send exactly these bytes to this repository until it expires. */
export interface UploadGrant {
  readonly repositoryId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Number of the part, from 1, or 'complete' for what puts the parts together; absent for a whole file. */
  readonly part?: string;
  /** The token that asked for it; its limits apply. */
  readonly tokenId: string;
  /** Seconds since 1970. */
  readonly expiresAtSeconds: number;
}

const names = { sizeBytes: 'size', part: 'part', tokenId: 'by', expiresAtSeconds: 'expires' } as const;

/** The query of a signed address for a grant; its path names the repository and the digest. Pure. */
export function signUpload(grant: UploadGrant, secret: string): string {
  const query = new URLSearchParams({
    [names.sizeBytes]: String(grant.sizeBytes),
    ...(grant.part !== undefined && { [names.part]: grant.part }),
    [names.tokenId]: grant.tokenId,
    [names.expiresAtSeconds]: String(grant.expiresAtSeconds),
    signature: signatureOf(grant, secret),
  });
  return query.toString();
}

/** The grant of a signed address; undefined if anything in it was changed, or if it has expired. Pure. */
export function verifyUpload(
  place: Pick<UploadGrant, 'repositoryId' | 'sha256'>,
  query: URLSearchParams,
  { secret, nowSeconds }: { readonly secret: string; readonly nowSeconds: number },
): UploadGrant | undefined {
  const [size, expires, part] = [names.sizeBytes, names.expiresAtSeconds, names.part].map((name) => query.get(name));
  if (!isWhole(size) || !isWhole(expires)) return undefined;
  const grant: UploadGrant = {
    ...place,
    sizeBytes: Number(size),
    ...(part !== null && part !== undefined && { part }),
    tokenId: query.get(names.tokenId) ?? '',
    expiresAtSeconds: Number(expires),
  };
  const [given, right] = [query.get('signature') ?? '', signatureOf(grant, secret)].map((text) => Buffer.from(text));
  const isSigned = given!.length === right!.length && timingSafeEqual(given!, right!);
  return isSigned && grant.expiresAtSeconds > nowSeconds ? grant : undefined;
}

function isWhole(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && /^(?:0|[1-9]\d{0,15})$/.test(text);
}

function signatureOf(
  { repositoryId, sha256, sizeBytes, part = '', tokenId, expiresAtSeconds }: UploadGrant,
  secret: string,
): string {
  const fields = ['upload', repositoryId, sha256, sizeBytes, part, tokenId, expiresAtSeconds];
  return createHmac('sha256', secret).update(JSON.stringify(fields)).digest('hex');
}
