import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, freshName } from '../../catalog-fixtures.test-support.ts';

const answer = { status: 201, headers: { location: '/x' }, body: '{"a":1}' };
const dayMs = 24 * 3600 * 1000;

export function idempotencySuite(open: () => Catalog): void {
  test('a key runs once, then gives its answer to the same request and refuses another', async () => {
    const key = freshName();
    expect(await open().idempotency.begin(key, 'f', dayMs)).toBe('started');
    expect(await open().idempotency.begin(key, 'f', dayMs)).toBe('running');
    await expectCode(open().idempotency.begin(key, 'other', dayMs), 'idempotency-conflict');
    await open().idempotency.finish(key, 'f', answer);
    expect(await open().idempotency.begin(key, 'f', dayMs)).toEqual(answer);
    await expectCode(open().idempotency.begin(key, 'other', dayMs), 'idempotency-conflict');
    // A late request neither replaces nor deletes the recorded answer.
    await open().idempotency.finish(key, 'f', { ...answer, status: 500 });
    await open().idempotency.abandon(key, 'f');
    expect(await open().idempotency.begin(key, 'f', dayMs)).toEqual(answer);
  });

  test('of racing requests with one key one starts', async () => {
    const key = freshName();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => open().idempotency.begin(key, 'f', dayMs)));
    expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'running')).toHaveLength(19);
  });

  test('an abandoned key starts again', async () => {
    const key = freshName();
    await open().idempotency.begin(key, 'f', dayMs);
    await open().idempotency.abandon(key, 'f');
    expect(await open().idempotency.begin(key, 'another', dayMs)).toBe('started');
  });

  test('an expired key starts again, answered or not, and is pruned', async () => {
    const [running, answered, living] = [freshName(), freshName(), freshName()];
    for (const key of [running, answered]) expect(await open().idempotency.begin(key, 'f', -1)).toBe('started');
    await open().idempotency.finish(answered, 'f', answer);
    expect(await open().idempotency.begin(answered, 'g', -1)).toBe('started');
    // The late first request does not affect the second one.
    await open().idempotency.finish(answered, 'f', answer);
    await open().idempotency.abandon(answered, 'f');
    await open().idempotency.finish(answered, 'g', { ...answer, status: 202 });
    expect(await open().idempotency.begin(running, 'g', -1)).toBe('started');
    await open().idempotency.begin(living, 'f', dayMs);
    expect(await open().idempotency.prune(new Date())).toBe(2);
    expect(await open().idempotency.prune(new Date())).toBe(0);
    expect(await open().idempotency.begin(living, 'f', dayMs)).toBe('running');
  });
}
