/** A representation that a GET can return, before anything is opened. */
export interface Representation {
  /** Strong, quotes included. */
  readonly etag: string;
  readonly sizeBytes: number;
}

/** The request fields that decide the answer; undefined if absent. */
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
 * The bytes that answer a GET or HEAD, in the order of RFC 9110 section 13.2.2. One range is served. Several ranges, or
 * one of another unit or syntax, give the whole file, as section 14.2 allows. HEAD ignores Range.
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

/** Whether If-Match or If-None-Match has the tag. `*` has every one. */
export function listHas(field: string, etag: string, comparison: 'strong' | 'weak'): boolean {
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
 * The digits as a number, at most `sizeBytes`. The field's length is limited only by that of all header fields, and
 * numbers beyond 2^53 still compare correctly.
 */
function position(digits: string, sizeBytes: number): number {
  const exact = BigInt(digits);
  return exact < BigInt(sizeBytes) ? Number(exact) : sizeBytes;
}
