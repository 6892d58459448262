import { expect, it } from 'vitest';
import { readParts, type ElementReader } from './read-parts.ts';

/** A file with blocks of four elements. Each element has two bytes and holds its own number. */
function fileOf(name: string, asked: string[]): ElementReader {
  return {
    keyOf: (block) => `${name}/${block}`,
    storedIn: (block) => `${name}/${block}`,
    elementCount: () => 4,
    async elements(block) {
      asked.push(`${name}/${block}`);
      return new Uint8Array(Uint16Array.from({ length: 4 }, (_, i) => 4 * block + i).buffer);
    },
  };
}

it('parts come in their order, and a block that several lie in is decoded once, whoever reads it', async () => {
  const asked: string[] = [];
  const part = (name: string, block: number, firstElement: number, elementCount: number) => ({
    reader: fileOf(name, asked),
    block,
    firstElement,
    elementCount,
  });
  const bytes = await readParts(
    [
      part('a', 0, 1, 2),
      part('b', 1, 0, 4),
      part('a', 0, 0, 1),
      part('b', 0, 3, 1),
      part('a', 1, 2, 2),
      part('b', 1, 1, 1),
    ],
    undefined,
  );
  expect([...new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)]).toEqual([
    1, 2, 4, 5, 6, 7, 0, 3, 6, 7, 5,
  ]);
  expect(asked).toEqual(['a/0', 'b/1', 'b/0', 'a/1']);
});

it('one part is read without a copy', async () => {
  const asked: string[] = [];
  const file = fileOf('a', asked);
  const bytes = await readParts([{ reader: file, block: 2, firstElement: 1, elementCount: 3 }], undefined);
  expect([...new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))]).toEqual([
    9, 10, 11,
  ]);
  expect(bytes.buffer.byteLength).toBe(8);
});
