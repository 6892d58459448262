import { expect, test } from 'vitest';
import { fuzzApi } from './fuzz-api.ts';

/** FIRN_FUZZ_SECONDS: how long to look for new sequences, instead of playing the same few. */
const seconds = Number(process.env['FIRN_FUZZ_SECONDS'] ?? 0);

test(
  'whatever is asked of the API, it answers as its document says',
  async () => {
    const long = { sequences: 20, seed: Date.now() % 2 ** 31, minimumMs: seconds * 1000 };
    const { failures, requests, answers, refused } = await fuzzApi(seconds > 0 ? long : { sequences: 40, seed: 1 });
    if (seconds > 0) {
      console.log(`${requests} requests from seed ${long.seed}`);
      for (const [what, count] of [...answers].sort()) console.log(`${count}\t${what}`);
      for (const [what, count] of [...refused].sort()) console.log(`refused ${count}\t${what}`);
    }
    expect([...failures].map((one) => one.join('\n'))).toEqual([]);
  },
  300_000 + seconds * 1000,
);
