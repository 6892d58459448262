import { expect, it } from 'vitest';
import { DecodeAhead } from './decode-ahead.ts';
import { streamRange } from './range/stream-range.ts';

const blockBytes = 100_000;

function stream(ahead: DecodeAhead) {
  const blocks = Array.from({ length: 30 }, (_, block) => block);
  const pieces = blocks.map((block) => ({ block, startBytes: 0, endBytes: blockBytes, last: true }));
  const elements = async (block: number): Promise<Uint8Array> => new Uint8Array(blockBytes).fill(block);
  const plan = { header: { startBytes: 0, endBytes: 0 }, pieces, blocks };
  return streamRange({ headerBytes: new Uint8Array(0), elements }, plan, { ahead });
}

it('bounds the blocks of all streams together, and lets each go on', async () => {
  const ahead = new DecodeAhead(10);
  const streams = Array.from({ length: 5 }, () => stream(ahead));
  for (const each of streams) await each.next();
  expect(ahead.taken).toBeGreaterThanOrEqual(8);
  expect(ahead.taken).toBeLessThanOrEqual(10 + streams.length);
  for (const [i, each] of streams.entries()) {
    if (i === 0) await each.return(undefined);
    else {
      let pieces = 1;
      for await (const piece of each) {
        expect(piece[0]).toBe(pieces++);
        expect(ahead.taken).toBeLessThanOrEqual(10 + streams.length);
      }
      expect(pieces).toBe(30);
    }
  }
  expect(ahead.taken).toBe(0);
});
