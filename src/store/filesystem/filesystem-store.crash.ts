/**
 * Run by filesystem-store.test.ts in a process of its own. Until it is killed, it puts objects, two at a time, and
 * prints the name of each acknowledged one.
 */
import { bodyOf } from '../body-of.ts';
import { openFilesystemStore } from './filesystem-store.ts';
import { patternBytes, referenceCrc32c } from '../object-store.reference.ts';

/** Largest number of objects, in case nobody kills the process. */
const objectsMax = 2000;

const [folder, prefix] = process.argv.slice(2);
const store = await openFilesystemStore({ folder: folder!, crc32c: referenceCrc32c });
const writer = async (name: string): Promise<void> => {
  for (let i = 0; i < objectsMax / 2; i++) {
    const { key } = await store.put(`${prefix}/${name}-${i}`, bodyOf(patternBytes(100_000 + 1000 * i, 5)), {
      sizeMaxBytes: 1 << 30,
    });
    process.stdout.write(`${key}\n`);
  }
};
await Promise.all([writer('a'), writer('b')]);
