import { describe, expect, it } from 'vitest';
import { onAbort } from './on-abort.ts';

describe('onAbort', () => {
  it('tells every listener once but those that ended, without a warning however many there are', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const controller = new AbortController();
    let told = 0;
    const ends = Array.from({ length: 50 }, () => onAbort(controller.signal, () => told++));
    for (const end of ends.slice(0, 20)) end();
    controller.abort();
    controller.abort();
    // Node emits warnings in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(told).toBe(30);
    expect(warnings).toEqual([]);
    expect(onAbort(undefined, () => told++)()).toBeUndefined();
  });
});
