/** What fuzz targets of binary formats share: their corpora, mutations of bytes, and the command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { seededRandom } from './safetensors-header.ts';

/** One parser under test. */
export interface FuzzTarget {
  /** Name of its folder in corpus/. */
  readonly corpus: string;
  /** Bytes of fields that reach deep, put in at places that are multiples of `alignBytes`. */
  readonly words: readonly Uint8Array[];
  readonly alignBytes: number;
  /** Runs one input and returns the parser's outcome; throws if a property is broken. */
  check(bytes: Uint8Array): string;
}

/** Longest mutated input, in bytes: enough for every construct, small enough for thousands of inputs a second. */
const inputBytesMax = 16 * 1024;

/** The inputs of a corpus; each is named `<outcome>.<description>`. */
export function readCorpus(name: string): { readonly name: string; readonly bytes: Buffer }[] {
  const folder = fileURLToPath(new URL(`./corpus/${name}/`, import.meta.url));
  return readdirSync(folder)
    .sort()
    .map((file) => ({ name: file, bytes: readFileSync(folder + file) }));
}

/** A mutated copy of corpus inputs, determined by `random` alone. */
export function mutate(
  corpus: readonly Uint8Array[],
  random: () => number,
  { words, alignBytes }: Pick<FuzzTarget, 'words' | 'alignBytes'>,
): Buffer {
  const below = (n: number): number => Math.floor(random() * n);
  const pick = (): Buffer => Buffer.from(corpus[below(corpus.length)]!.subarray(0, inputBytesMax));
  const align = (at: number): number => at - (at % alignBytes);
  let bytes = pick();
  for (let rounds = 1 + below(3); rounds > 0; rounds--) {
    const at = below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + below(16));
    const whole = [align(at), align(Math.min(bytes.length, at + alignBytes * below(16)))] as const;
    const word = words[below(words.length)]!;
    switch (below(9)) {
      case 0:
        if (at < bytes.length) bytes[at]! ^= 1 << below(8);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = below(256);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
        break;
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, whole[0]), word, bytes.subarray(whole[0] + word.length)]);
        break;
      case 5:
        // The same part twice, and one part less, where parts have a fixed length.
        bytes = Buffer.concat([bytes.subarray(0, whole[1]), bytes.subarray(whole[0])]);
        break;
      case 6:
        bytes = Buffer.concat([bytes.subarray(0, whole[0]), bytes.subarray(whole[1])]);
        break;
      case 7: {
        const other = pick();
        bytes = Buffer.concat([bytes.subarray(0, whole[0]), other.subarray(align(below(other.length + 1)))]);
        break;
      }
      default:
        bytes = bytes.subarray(0, at);
    }
  }
  return bytes.subarray(0, inputBytesMax);
}

/** How often each outcome came, over mutated inputs while `goesOn`. Throws at the first broken property. */
export function fuzz(target: FuzzTarget, seed: number, goesOn: (inputs: number) => boolean): Map<string, number> {
  const random = seededRandom(seed);
  const corpus = readCorpus(target.corpus).map(({ bytes }) => bytes);
  const counts = new Map<string, number>();
  for (let inputs = 0; goesOn(inputs); inputs++) {
    const bytes = mutate(corpus, random, target);
    try {
      const said = target.check(bytes);
      counts.set(said, (counts.get(said) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`input ${inputs} of seed ${seed} fails: ${String(cause)}\n${bytes.toString('hex')}`, { cause });
    }
  }
  return counts;
}

/** The command line: `--seconds 60 --seed 1`. Exits non-zero at the first failure, printing the input in hex. */
export function runFuzz(target: FuzzTarget, argv: readonly string[]): void {
  const option = (name: string, otherwise: number): number => {
    const at = argv.indexOf(name);
    return at < 0 ? otherwise : Number(argv[at + 1]);
  };
  const [seconds, seed] = [option('--seconds', 10), option('--seed', 1)];
  const end = performance.now() + seconds * 1000;
  try {
    const counts = fuzz(target, seed, () => performance.now() < end);
    const inputs = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const spread = [...counts].map(([said, count]) => `${said} ${count}`).join(', ');
    process.stdout.write(`${inputs} inputs in ${seconds} s, seed ${seed}, no failure: ${spread}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
