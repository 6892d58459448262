import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { FirnError } from '../../checkpoint/firn-error.ts';
import { contextEscape, contextsMax, contextSymbols, type ContextBlock } from '../core.ts';
import { loadCore } from '../load-core.ts';
import { randomNumbers } from '../reference.test-support.ts';

const core = loadCore({ threads: 2 });
const slots = 5;

/** A block of two segments; about one element in `oneIn` changes. */
function block(elementCount: number, oneIn: number, seed: number): ContextBlock {
  const next = randomNumbers(seed);
  const contexts = Uint8Array.from({ length: elementCount }, () => Math.floor(next() * 7));
  const symbols = Uint8Array.from({ length: elementCount }, () =>
    next() * oneIn < 1 ? 1 + Math.floor(next() * next() * contextEscape) : 0,
  );
  const escapes = Uint32Array.from(
    symbols.filter((symbol) => symbol === contextEscape),
    () => Math.floor(next() * 1e6),
  );
  const first = Math.floor(elementCount / 3);
  return {
    contexts,
    symbols,
    escapes,
    segments: { counts: Uint32Array.of(first, elementCount - first), slots: Uint32Array.of(seed % slots, 4) },
  };
}

async function tablesOf(blocks: readonly ContextBlock[]) {
  const counts = core.createContextCounts();
  await Promise.all(blocks.map((one) => counts.add(one)));
  return counts.build({ slots });
}

describe('context tables', () => {
  const blocks = [block(20_000, 100, 1), block(5_000, 3, 2), block(1, 1, 3), block(0, 1, 4), block(60_000, 5_000, 5)];

  it('bring blocks back through their stored form, in about as many bits as they announce', async () => {
    const tables = await tablesOf(blocks);
    const stored = tables.serialize();
    const parsed = core.parseContextTables(stored, { slots });
    expect(parsed.serialize()).toEqual(stored);
    let bytes = stored.length;
    for (const { symbols, escapes, contexts, segments } of blocks) {
      const payload = await tables.encode({ symbols, escapes, contexts, segments });
      expect(await parsed.decode(payload, { contexts, segments })).toEqual({ symbols, escapes });
      bytes += payload.length;
    }
    expect(bytes * 8).toBeGreaterThan(tables.totalBits());
    expect(bytes * 8).toBeLessThan(1.03 * tables.totalBits() + 100);
  });

  it('are the same however counts were gathered', async () => {
    const together = await tablesOf(blocks);
    const counts = core.createContextCounts();
    for (const one of [...blocks].reverse()) {
      const part = core.createContextCounts();
      await part.add(one);
      counts.merge(part);
    }
    const apart = await counts.build({ slots });
    expect(apart.serialize()).toEqual(together.serialize());
    expect(apart.totalBits()).toBe(together.totalBits());
  });

  it('encode blocks that were never counted', async () => {
    const tables = await tablesOf([blocks[4]!]);
    const { symbols, escapes, contexts, segments } = blocks[1]!;
    expect(await tables.decode(await tables.encode(blocks[1]!), { contexts, segments })).toEqual({ symbols, escapes });
  });

  it('refuse arguments outside their range', async () => {
    const counts = core.createContextCounts();
    const good = block(100, 2, 6);
    const refusals: ContextBlock[] = [
      { ...good, symbols: good.symbols.subarray(1) },
      { ...good, symbols: good.symbols.map((symbol, i) => (i === 7 ? contextSymbols : symbol)) },
      { ...good, contexts: good.contexts.map((context, i) => (i === 7 ? contextsMax : context)) },
      { ...good, escapes: Uint32Array.of(...good.escapes, 1) },
      { ...good, segments: { counts: Uint32Array.of(99), slots: Uint32Array.of(0) } },
      { ...good, segments: { counts: Uint32Array.of(100), slots: Uint32Array.of(0, 1) } },
    ];
    for (const bad of refusals) await expect(counts.add(bad)).rejects.toMatchObject({ code: 'native-failure' });
    await counts.add(good);
    await expect(counts.build({ slots: 4 })).rejects.toMatchObject({ code: 'native-failure' });
    expect(() => {
      counts.merge(counts);
    }).toThrow(FirnError);
    // @ts-expect-error: a plain array
    await expect(counts.add({ ...good, symbols: [1] })).rejects.toThrow(TypeError);
  });

  it('damaged, are refused or mean other tables; a damaged payload never gives symbols that do not exist', async () => {
    const tables = await tablesOf(blocks);
    const { contexts, segments } = blocks[0]!;
    const stored = tables.serialize(),
      payload = await tables.encode(blocks[0]!);
    const damage = (bytes: Uint8Array) =>
      fc.oneof(
        fc
          .array(fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 })), {
            minLength: 1,
            maxLength: 4,
          })
          .map((edits) => {
            const copy = bytes.slice();
            for (const [at, difference] of edits) copy[at]! ^= difference;
            return copy;
          }),
        fc.nat({ max: bytes.length - 1 }).map((length) => bytes.slice(0, length)),
        fc.uint8Array({ minLength: 1, maxLength: 40 }).map((tail) => Uint8Array.from([...bytes, ...tail])),
      );
    const isDamage = (error: unknown) =>
      error instanceof FirnError && ['corrupt-package', 'unsupported-format'].includes(error.code);
    await fc.assert(
      fc.asyncProperty(damage(stored), damage(payload), async (badTables, badPayload) => {
        try {
          expect(core.parseContextTables(badTables, { slots }).serialize()).toEqual(badTables);
        } catch (error) {
          if (!isDamage(error)) throw error;
        }
        try {
          const { symbols } = await tables.decode(badPayload, { contexts, segments });
          expect(symbols.every((symbol) => symbol < contextSymbols)).toBe(true);
        } catch (error) {
          if (!isDamage(error)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
