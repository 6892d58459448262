/** Bytes that a GET can return, before anything is opened. */
export interface Representation {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly sizeBytes: number;
}

/** The request fields that decide what is sent; undefined when absent. */
export interface ConditionalFields {
  readonly method: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** `endBytes` is exclusive. */
export interface PlannedBytes {
  readonly status: 200 | 206;
  readonly startBytes: number;
  readonly endBytes: number;
}

export type PlannedResponse = PlannedBytes | { readonly status: 304 | 412 | 416 };

/**
 * Which bytes answer a GET or HEAD, in the order of RFC 9110 section 13.2.2. One range is served; several, or a range
 * of another unit or spelling, give the whole file, as section 14.2 allows. HEAD ignores Range.
 */
export function planResponse(request: ConditionalFields, representation: Representation): PlannedResponse {
  const { etag, sizeBytes } = representation;
  if (request.ifMatch !== undefined && !listHas(request.ifMatch, etag, 'strong')) return { status: 412 };
  if (request.ifNoneMatch !== undefined && listHas(request.ifNoneMatch, etag, 'weak')) return { status: 304 };
  const whole = { status: 200, startBytes: 0, endBytes: sizeBytes } as const;
  if (request.method !== 'GET' || request.range === undefined) return whole;
  // A date in If-Range never matches: representations carry no Last-Modified.
  if (request.ifRange !== undefined && request.ifRange.trim() !== etag) return whole;
  const range = parseRange(request.range, sizeBytes);
  if (range === 'ignored') return whole;
  if (range === 'unsatisfiable') return { status: 416 };
  return { status: 206, ...range };
}

function listHas(field: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (field.trim() === '*') return true;
  const tags = field.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag);
}

type ParsedRange = { readonly startBytes: number; readonly endBytes: number } | 'ignored' | 'unsatisfiable';

function parseRange(field: string, sizeBytes: number): ParsedRange {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field.trim());
  if (match === null) return 'ignored';
  const [first, last] = [match[1]!, match[2]!];
  if (first === '' && last === '') return 'ignored';
  if (first === '') {
    const suffixBytes = position(last, sizeBytes);
    return suffixBytes === 0 ? 'unsatisfiable' : { startBytes: sizeBytes - suffixBytes, endBytes: sizeBytes };
  }
  if (last !== '' && BigInt(last) < BigInt(first)) return 'ignored';
  const startBytes = position(first, sizeBytes);
  if (startBytes >= sizeBytes) return 'unsatisfiable';
  return { startBytes, endBytes: last === '' ? sizeBytes : Math.min(position(last, sizeBytes) + 1, sizeBytes) };
}

/**
 * The digits as a number, at most `sizeBytes`. The field has no bound but that of all header fields together, and
 * digits beyond 2^53 still compare.
 */
function position(digits: string, sizeBytes: number): number {
  const exact = BigInt(digits);
  return exact < BigInt(sizeBytes) ? Number(exact) : sizeBytes;
}
