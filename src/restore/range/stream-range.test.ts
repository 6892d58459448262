import { describe, expect, it } from 'vitest';
import type { RangePlan } from './plan-range.ts';
import { decodeAheadMax, streamRange } from './stream-range.ts';

const headerBytes = Uint8Array.from({ length: 10 }, (_, i) => i);

/** `count` blocks of one tensor each, `sizeBytes` bytes long; every byte is the block's number. */
function setup(count: number, sizeBytes: number) {
  const pieces = Array.from({ length: count }, (_, block) => ({
    block,
    startBytes: 0,
    endBytes: sizeBytes,
    last: true,
  }));
  const plan: RangePlan = {
    header: { startBytes: 2, endBytes: 10 },
    pieces,
    blocks: pieces.map((piece) => piece.block),
  };
  const started: number[] = [];
  const signals: AbortSignal[] = [];
  const elements = async (block: number, signal: AbortSignal): Promise<Uint8Array> => {
    started.push(block);
    signals.push(signal);
    if (block === 50) throw new Error('block 50 is bad');
    return new Uint8Array(sizeBytes).fill(block);
  };
  return { plan, started, signals, source: { headerBytes, elements } };
}

describe('streamRange', () => {
  it('decodes a few blocks ahead of the reader, never more', async () => {
    const { plan, started, source } = setup(40, 100_000);
    let taken = 0;
    for await (const piece of streamRange(source, plan)) {
      // The first piece holds the end of the header and the first block.
      taken += Math.floor(piece.length / 100_000);
      expect(started.length).toBeLessThanOrEqual(taken + decodeAheadMax);
    }
    expect([taken, started.length]).toEqual([40, 40]);
  });

  it('gathers small pieces into few, in order', async () => {
    const { plan, source } = setup(40, 7);
    const pieces: Uint8Array[] = [];
    for await (const piece of streamRange(source, plan)) pieces.push(piece);
    expect(pieces).toHaveLength(1);
    expect([...pieces[0]!]).toEqual([
      ...headerBytes.subarray(2),
      ...Array.from({ length: 40 * 7 }, (_, i) => Math.floor(i / 7)),
    ]);
  });

  it('asks for a block once, and keeps it for its later pieces', async () => {
    const { started, source } = setup(2, 100_000);
    const piece = (block: number, at: number, last: boolean) => ({ block, startBytes: at, endBytes: at + 1, last });
    const plan: RangePlan = {
      header: { startBytes: 10, endBytes: 10 },
      blocks: [3, 4],
      pieces: [piece(3, 0, false), piece(4, 0, true), piece(3, 1, false), piece(3, 2, true)],
    };
    const bytes: number[] = [];
    for await (const part of streamRange(source, plan)) bytes.push(...part);
    expect(bytes).toEqual([3, 4, 3, 3]);
    expect(started).toEqual([3, 4]);
  });

  it('fails with a block, after the bytes before it, and cancels the others', async () => {
    const { plan, signals, source } = setup(80, 100_000);
    let taken = 0;
    await expect(
      (async () => {
        for await (const piece of streamRange(source, plan)) taken += piece.length;
      })(),
    ).rejects.toThrow('block 50 is bad');
    expect(taken).toBe(8 + 50 * 100_000);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });

  it('cancels what is under way when the reader leaves', async () => {
    const { plan, signals, source } = setup(20, 100_000);
    for await (const piece of streamRange(source, plan)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
  });
});
