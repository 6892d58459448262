import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planFile } from './plan-file.ts';
import type { ShardFile, ShardTerm } from './read-shard.ts';
import type { XorbChunk } from './read-xorb.ts';
import { createXetHasher, type XetHash } from './xet-hash.ts';

const hasher = await createXetHasher();

/** Chunk tables of made-up xorbs with these numbers of chunks. */
function xorbsOf(counts: number[]): Map<XetHash, XorbChunk[]> {
  const entries = counts.map((count, xorb): [XetHash, XorbChunk[]] => {
    const chunks = Array.from({ length: count }, (_, index) => ({
      hash: hasher.hashChunk(Uint8Array.of(xorb, index)),
      rawBytes: 100 * xorb + index + 1,
      offset: 10 * index,
      lengthBytes: 10,
    }));
    return [hasher.hashXorb(chunks), chunks];
  });
  return new Map(entries);
}

async function truthfulFile(
  xorbs: Map<XetHash, XorbChunk[]>,
  ranges: { xorb: XetHash; start: number; end: number }[],
): Promise<ShardFile> {
  const all: XorbChunk[] = [];
  const terms = ranges.map(({ xorb, start, end }): ShardTerm => {
    const chunks = xorbs.get(xorb)!.slice(start, end);
    all.push(...chunks);
    const rawBytes = chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0);
    return { xorb, range: { start, end }, rawBytes, verification: hasher.hashRange(chunks.map(({ hash }) => hash)) };
  });
  return { hash: await hasher.hashFile(all), terms, sha256: undefined };
}

const xorbs = xorbsOf([5, 9]);
const [first, second] = [...xorbs.keys()];
const chunksOf = (xorb: XetHash) => xorbs.get(xorb);
const honest = await truthfulFile(xorbs, [
  { xorb: first!, start: 1, end: 4 },
  { xorb: second!, start: 0, end: 9 },
  { xorb: first!, start: 1, end: 2 },
]);

test('a truthful file of any ranges gives them back as its plan', async () => {
  const range = fc.record({ xorb: fc.constantFrom(first!, second!), start: fc.nat(4), count: fc.nat(8) });
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 10 }), async (picks) => {
      const ranges = picks.map(({ xorb, start, count }) => {
        return { xorb, start, end: Math.min(start + 1 + count, xorbs.get(xorb)!.length) };
      });
      const file = await truthfulFile(xorbs, ranges);
      const plan = await planFile({ file, chunksOf, hasher });
      expect(plan.ranges.map(({ rawBytes: _, ...rest }) => rest)).toEqual(ranges);
      expect(plan.sizeBytes).toBe(file.terms.reduce((sum, term) => sum + term.rawBytes, 0));
      expect(plan.chunkCount).toBe(ranges.reduce((sum, { start, end }) => sum + end - start, 0));
    }),
  );
});

describe('a file is refused', () => {
  const withTerm = (change: Partial<ShardTerm>): ShardFile => ({
    ...honest,
    terms: honest.terms.with(1, { ...honest.terms[1]!, ...change }),
  });
  const unknown = '5'.repeat(64);
  test.each<[string, ShardFile, string, string]>([
    ['if a xorb is not there', withTerm({ xorb: unknown }), 'invalid-request', 'has not been uploaded'],
    ['if a range is too long', withTerm({ range: { start: 0, end: 10 } }), 'invalid-request', 'of a xorb that has 9'],
    ['if a range is empty', withTerm({ range: { start: 3, end: 3 } }), 'invalid-request', 'chunks 3 to 3'],
    ['if a size is wrong', withTerm({ rawBytes: 1 }), 'invalid-request', 'says 1 bytes where'],
    ['without a verification hash', withTerm({ verification: undefined }), 'invalid-request', 'no verification hash'],
    ['with a wrong one', withTerm({ verification: unknown }), 'digest-mismatch', 'verification hash that its chunks'],
    ['if its hash is wrong', { ...honest, hash: unknown }, 'digest-mismatch', `names a file ${unknown}`],
    ['if terms are swapped', { ...honest, terms: honest.terms.toReversed() }, 'digest-mismatch', 'names a file'],
    ['if a term is left out', { ...honest, terms: honest.terms.slice(1) }, 'digest-mismatch', 'names a file'],
    ['if a term is repeated', { ...honest, terms: [...honest.terms, honest.terms[2]!] }, 'digest-mismatch', 'names a'],
  ])('%s', async (_, file, code, why) => {
    const error = { code, message: expect.stringContaining(why) as string };
    await expect(planFile({ file, chunksOf, hasher })).rejects.toThrow(expect.objectContaining(error));
  });

  test('with more chunks than are allowed, before it asks for the xorb', async () => {
    expect(await planFile({ file: honest, chunksOf, hasher, chunksMax: 13 })).toMatchObject({ chunkCount: 13 });
    const asked: XetHash[] = [];
    const count = (xorb: XetHash) => (asked.push(xorb), xorbs.get(xorb));
    await expect(planFile({ file: honest, chunksOf: count, hasher, chunksMax: 11 })).rejects.toThrow(
      expect.objectContaining({ code: 'payload-too-large' }),
    );
    expect(asked).toEqual([first]);
  });
});

test('a long plan lets other work go between and ends when its signal aborts', async () => {
  const [long] = [...xorbsOf([8192])];
  const file: ShardFile = await truthfulFile(
    new Map([long!]),
    Array.from({ length: 20 }, () => ({ xorb: long![0], start: 0, end: 8192 })),
  );
  const aborter = new AbortController();
  const plan = planFile({ file, chunksOf: () => long![1], hasher, signal: aborter.signal });
  setImmediate(() => aborter.abort(new Error('the client left')));
  await expect(plan).rejects.toThrow('the client left');
});
