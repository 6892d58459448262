/**
 * A process that collects garbage over and over, in the stores that its environment names, until it is killed. Its
 * argument is the grace in ms. It prints `sweeping` once it has begun.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openStores, sweepStores } from './sweep-stores.ts';

/** Pause between two sweeps, in ms. */
const pauseMs = 100;

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
);
const hub = await openStores({ environment, dataDirectory: process.env['FIRN_DATA_DIR']! });
process.send?.('sweeping');
for (;;) {
  await sweepStores(hub, Number(process.argv[2]));
  await pause(pauseMs);
}
