import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOf, shardOf } from '../../src/store/filesystem/filesystem-path.ts';

/** One bit anywhere in the object's file: content, table of checksums or footer. */
export async function flipper(directory: string, key: string, random: () => number) {
  const file = join(directory, 'objects', 'objects', shardOf(key), fileNameOf(key));
  const handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.close();
  const at = Math.floor(random() * size);
  const bit = Math.floor(random() * 8);
  return {
    place: `bit ${bit} of byte ${at} of ${key}`,
    async toggle(): Promise<void> {
      const writing = await open(file, 'r+');
      try {
        const byte = Buffer.alloc(1);
        await writing.read(byte, 0, 1, at);
        byte[0]! ^= 1 << bit;
        await writing.write(byte, 0, 1, at);
      } finally {
        await writing.close();
      }
    },
  };
}
