import { describe, expect, it } from 'vitest';

import type { LatticeSegment, LatticeState, ResidualLink } from '../core.ts';
import { loadCore } from '../load-core.ts';
import { randomWeights, valuesOf } from '../reference.test-support.ts';

const core = loadCore({ threads: 2 });
const counts = [3000, 1, 1777];
const origins = Int32Array.from([0, 900, -40]);

function segmentsAt(checkpoint: number): LatticeSegment[] {
  return counts.map((elementCount, i) => ({
    elementCount,
    exponent: -16 - checkpoint,
    step: 300 + 10 * i,
    shift: checkpoint === 0 ? 0 : 1,
    offsets: [20, 3, 3],
    gain: 250 + i,
  }));
}

interface Step {
  readonly link: ResidualLink;
  readonly state: LatticeState;
  readonly elements: Uint8Array;
}

/** Checkpoints coded and rebuilt with the separate calls that residual calls combine. */
async function steps(checkpoints: number): Promise<Step[]> {
  const done: Step[] = [];
  const total = counts.reduce((sum, count) => sum + count, 0);
  const start = {
    values: Int32Array.from(counts.flatMap((count, i) => new Array<number>(count).fill(origins[i]!))),
    activity: new Uint8Array(total).fill(168),
  };
  const values = valuesOf(randomWeights(total, 'F32', 1), 'F32');
  for (let i = 0; i < checkpoints; i++) {
    const weights = new Uint8Array(Float32Array.from(values, (w, k) => 0.05 * w + (k % 13 === i ? 0.03 : 0)).buffer);
    const block = { segments: segmentsAt(i), previous: done[i - 1]?.state ?? start };
    const moves = await core.latticeQuantize({ ...block, weights, dtype: 'F32', deadZone: 156 });
    const coded = {
      ...moves,
      contexts: await core.latticeContexts(block),
      segments: { counts: Uint32Array.from(counts), slots: Uint32Array.from([2, 0, 1]) },
    };
    const statistics = core.createContextCounts();
    await statistics.add(coded);
    const tables = await statistics.build({ slots: 3 });
    const state = await core.latticeApply(moves, block);
    if (i === 0) state.activity.fill(168);
    done.push({
      link: { tables, payload: await tables.encode(coded), segments: block.segments, slots: coded.segments.slots },
      state,
      elements: await core.latticeValues(state.values, block.segments, 'F32'),
    });
  }
  return done;
}

describe('a block through a chain of packages', async () => {
  const series = await steps(3);
  const links = series.map(({ link }) => link);
  const last = series[2]!;

  it('has the state and the elements that its steps one by one lead to', async () => {
    expect(await core.residualState({ links, start: origins })).toEqual(last.state);
    expect(await core.residualElements({ links, start: origins }, 'F32')).toEqual(last.elements);
    expect(await core.residualElements({ links: links.slice(1), start: series[0]!.state }, 'F32')).toEqual(
      last.elements,
    );
  });

  it('has the same payload and elements from symbols that were kept, in less than a byte for each', async () => {
    const chain = { links, start: origins };
    const values = valuesOf(last.elements, 'F32');
    const moved = new Uint8Array(Float32Array.from(values, (w, k) => w + (k % 17 === 0 ? 0.02 : 0)).buffer);
    const parts = { chain, segments: segmentsAt(3), slots: Uint32Array.from([2, 0, 1]), deadZone: 156 };
    const block = { ...parts, weights: moved, weightDtype: 'F32' as const };
    const found = await core.residualQuantize(block, { counts: core.createContextCounts(), keep: true });
    const symbols = found.symbols!;
    expect(symbols.memoryBytes).toBeGreaterThan(0);
    expect(symbols.memoryBytes).toBeLessThan(values.length);
    const segments = { counts: Uint32Array.from(counts), slots: parts.slots };
    const statistics = core.createContextCounts();
    await core.countCachedSymbols(symbols, segments, statistics);
    const tables = await statistics.build({ slots: 3 });
    expect(await core.encodeCachedSymbols(symbols, segments, tables)).toEqual(await core.residualEncode(block, tables));
    expect(await core.residualMovedElements(symbols, parts, 'F32')).toEqual(
      await core.residualCodedElements(block, 'F32'),
    );
    symbols.release();
  });

  it('has elements of another dtype, and writes them to the given buffer', async () => {
    const halves = await core.convert(last.elements, 'F32', 'BF16');
    expect(await core.residualElements({ links, start: origins }, 'BF16')).toEqual(halves);
    const into = new Uint8Array(halves.length);
    expect(await core.residualElements({ links, start: origins }, 'BF16', { into })).toBe(into);
    expect(into).toEqual(halves);
  });

  it('is refused if links of one payload are not consecutive, or joint symbols are invalid', async () => {
    const part = (symbols: readonly number[], width: number, position: number): ResidualLink => ({
      ...links[1]!,
      part: { jointSymbols: { symbols: Uint8Array.from(symbols), width }, position },
    });
    const pair = [0, 1, 0, 0];
    for (const parts of [
      [part(pair, 1, 0)],
      [part(pair, 5, 0)],
      [part([0, 1, 2], 2, 0)],
      [part([], 2, 0)],
      [part(pair, 2, 2)],
      [part(pair, 2, 1)],
      [part(pair, 4, 0), part(pair, 4, 2)],
      [part(pair, 2, 0), { ...part(pair, 2, 1), payload: links[2]!.payload }],
    ]) {
      await expect(core.residualState({ links: [links[0]!, ...parts], start: origins })).rejects.toMatchObject({
        code: 'native-failure',
      });
    }
  });

  it('is refused if its parts do not fit together, and if it is damaged', async () => {
    const refused = { code: 'native-failure' };
    await expect(core.residualElements({ links: [], start: origins }, 'F32')).rejects.toMatchObject(refused);
    await expect(core.residualElements({ links, start: origins.subarray(1) }, 'F32')).rejects.toMatchObject(refused);
    await expect(
      core.residualElements(
        { links: [links[0]!, { ...links[1]!, segments: segmentsAt(1).reverse() }], start: origins },
        'F32',
      ),
    ).rejects.toMatchObject(refused);
    await expect(
      core.residualElements({ links, start: origins }, 'F32', { into: new Uint8Array(5) }),
    ).rejects.toMatchObject(refused);
    const cut = { ...links[1]!, payload: links[1]!.payload.subarray(1) };
    await expect(core.residualState({ links: [links[0]!, cut, links[2]!], start: origins })).rejects.toMatchObject({
      code: expect.stringMatching(/corrupt|unsupported/),
    });
    const foreign = { ...links[0]!, tables: { ...links[0]!.tables } };
    await expect(core.residualState({ links: [foreign], start: origins })).rejects.toThrow(TypeError);
  });
});
