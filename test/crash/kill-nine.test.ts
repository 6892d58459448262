import { expect, test } from 'vitest';
import { killNine } from './kill-nine.ts';

/** Five starts and two checks of everything, on two busy cores. */
const timeoutMs = 240_000;

test(
  'loses nothing it has acknowledged when it is killed three times, and leaves nothing for ever',
  async () => {
    const report = await killNine({ rounds: 3, seed: 5 });
    expect(report.problems).toEqual([]);
    // How many there are depends on how busy the machine is.
    expect(report.acknowledgedCheckpoints).toBeGreaterThan(0);
  },
  timeoutMs,
);
