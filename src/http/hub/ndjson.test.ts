import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './ndjson.ts';

const limits = { lineBytesMax: 1000, bodyBytesMax: 10_000, linesMax: 10_000 };

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function linesOf(body: AsyncIterable<Uint8Array>, set: Partial<typeof limits> = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(body, { ...limits, ...set })) lines.push(line.toString());
  return lines;
}

describe('lines of a body', () => {
  it('are the same however the body is cut, also inside a character, with and without a last newline', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/\s/g, 'x'));
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        sizes,
        fc.constantFrom('\n', '\r\n'),
        async (lines, cuts, end) => {
          const expected = lines.map((each) => each.trim()).filter((each) => each !== '');
          for (const text of [lines.join(end), lines.map((each) => each + end).join('')])
            expect(await linesOf(pieces(Buffer.from(text), cuts))).toEqual(expected);
        },
      ),
    );
  });

  it('may be as long as the limit, and no longer', async () => {
    const text = 'x'.repeat(1000);
    expect(await linesOf(pieces(Buffer.from(`${text}\n${text}`), [999, 3]))).toEqual([text, text]);
    await expect(linesOf(pieces(Buffer.from(`${text}x\n`), [400]))).rejects.toMatchObject({
      code: 'payload-too-large',
    });
  });

  it.each([
    ['a line without end', 'x', 1000],
    ['lines without end', 'x\n', 10_000],
    ['nothing but newlines', '\n', 10_000],
  ])('%s is refused before more than the limit has arrived', async (_, piece, bytesMax) => {
    let sent = 0;
    const endless = (async function* () {
      for (;;) {
        const bytes = Buffer.from(piece.repeat(64));
        sent += bytes.length;
        yield bytes;
      }
    })();
    await expect(linesOf(endless)).rejects.toMatchObject({ code: 'payload-too-large' });
    expect(sent).toBeLessThanOrEqual(bytesMax + 64 * piece.length);
  });

  it('are counted, the empty ones too', async () => {
    const three = { linesMax: 3 };
    expect(await linesOf(pieces(Buffer.from('a\n\nb\n'), [2]), three)).toEqual(['a', 'b']);
    for (const text of ['a\nb\nc\nd\n', '\n\n\n\n', '\r\n \n\n\n'])
      await expect(linesOf(pieces(Buffer.from(text), [3]), three)).rejects.toMatchObject({ code: 'payload-too-large' });
  });

  it('take memory as their bytes do, also when they arrive byte by byte', async () => {
    const sizeBytes = 1024 * 1024;
    const byte = new Uint8Array([0x78]);
    const usedBytes = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = usedBytes();
    let most = 0;
    // What a socket gives for each chunk of a chunked body: a view of its own.
    const body = (async function* () {
      for (let i = 1; i <= sizeBytes; i++) {
        if (i % 2 ** 17 === 0) most = Math.max(most, usedBytes());
        yield byte.subarray(0, 1);
      }
    })();
    const [line] = await linesOf(body, { lineBytesMax: sizeBytes, bodyBytesMax: sizeBytes });
    expect(line!.length).toBe(sizeBytes);
    expect(most - before).toBeLessThan(64 * 1024 * 1024);
  });
});
