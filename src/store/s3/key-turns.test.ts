import { describe, expect, it } from 'vitest';
import { KeyTurns } from './key-turns.ts';

describe('turns of a key', () => {
  it('come one after the other, also after a failure, and keys do not wait for each other', async () => {
    const turns = new KeyTurns();
    const events: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = turns.take('a', async () => {
      events.push('first begins');
      await gate;
      events.push('first fails');
      throw new Error('made to fail');
    });
    const second = turns.take('a', async () => void events.push('second'));
    await turns.take('b', async () => void events.push('other'));
    open();
    await expect(first).rejects.toThrow('made to fail');
    await second;
    expect(events).toEqual(['first begins', 'other', 'first fails', 'second']);
  });
});
