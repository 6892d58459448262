import { describe, expect, it } from 'vitest';
import { Slots } from './slots.ts';

describe('slots', () => {
  it('are so many at once, given on in the order of asking', async () => {
    const slots = new Slots({ count: 2, waitingMax: 10 });
    const order: number[] = [];
    const takes = [0, 1, 2, 3].map(async (i) => {
      const giveBack = await slots.take();
      order.push(i);
      return giveBack;
    });
    const [first, second] = await Promise.all(takes.slice(0, 2));
    expect(order).toEqual([0, 1]);
    second!();
    // The second release does nothing.
    second!();
    const third = await takes[2]!;
    expect(order).toEqual([0, 1, 2]);
    first!();
    third();
    (await takes[3]!)();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('refuse when too many wait', async () => {
    const slots = new Slots({ count: 1, waitingMax: 1 });
    const giveBack = await slots.take();
    const waiting = slots.take();
    await expect(slots.take()).rejects.toMatchObject({ code: 'overloaded' });
    giveBack();
    (await waiting)();
  });

  it('let go whoever gives up, and nobody else', async () => {
    const slots = new Slots({ count: 1, waitingMax: 10 });
    const giveBack = await slots.take();
    const controller = new AbortController();
    const impatient = slots.take(controller.signal);
    const patient = slots.take();
    controller.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    await expect(slots.take(controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    giveBack();
    (await patient)();
    (await slots.take())();
  });
});
