import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeOnPostgres } from '../../test/postgres/create-database.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import { createTestDatabase } from '../catalog/postgres/test-postgres.test-support.ts';
import { tokenAccess } from './access.ts';
import { createFirstToken, createToken } from './create-token.ts';
import { operator } from './principal.ts';
import { newTokenText } from './token-text.ts';

let catalog: Catalog;
/** Time enough for a request, in ms. */
const soonMs = 60_000;

/** The text of a token that was valid once: none is made that has expired already. */
async function expiredToken({ tokens, now }: Catalog): Promise<string> {
  const { text, id, secretSha256 } = newTokenText();
  const expiresAt = new Date((await now()).getTime() - 1);
  await tokens.create({ id, secretSha256, name: 'x', grants: [{ scope: 'read' }], expiresAt });
  return text;
}
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

const refused = expect.objectContaining({ code: 'unauthenticated' });
const tooLate = expect.objectContaining({ code: 'invalid-request' });
const principal = (authorization?: string) => tokenAccess({ catalog }).principal(authorization);

describe('tokens', () => {
  it('name their owner, in any case of the scheme', async () => {
    const { text, record } = await createToken(catalog, operator, {
      name: 'ci',
      grants: [{ scope: 'write', namespace: 'acme' }],
    });
    expect(text).toMatch(/^hf_[A-Za-z0-9]{44}$/);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await principal(`${scheme} ${text}`)).toEqual({
        id: record.id,
        name: 'ci',
        grants: [{ scope: 'write', namespace: 'acme' }],
      });
    }
  });

  it('are kept by digest only', async () => {
    const { text, record } = await createToken(catalog, operator, { name: 'x', grants: [{ scope: 'read' }] });
    const stored = JSON.stringify(await catalog.tokens.get(record.id));
    expect(stored).not.toContain(text.slice(15));
  });

  const expiringAt = (ms: number) =>
    createToken(catalog, operator, { name: 'x', grants: [{ scope: 'read' }], expiresAt: new Date(ms) });

  it('are refused once revoked', async () => {
    const { text, record } = await expiringAt(Date.now() + soonMs);
    expect((await principal(`Bearer ${text}`)).id).toBe(record.id);
    await catalog.tokens.revoke(record.id);
    await expect(principal(`Bearer ${text}`)).rejects.toEqual(refused);
  });

  it('are refused once expired', async () => {
    const nowMs = (await catalog.now()).getTime();
    const valid = await expiringAt(nowMs + soonMs);
    await expect(principal(`Bearer ${await expiredToken(catalog)}`)).rejects.toEqual(refused);
    expect((await principal(`Bearer ${valid.text}`)).id).toBe(valid.record.id);
  });

  it('are not made if they would have expired already', async () => {
    const nowMs = (await catalog.now()).getTime();
    const listed = await catalog.tokens.list({ limit: 1000 });
    await expect(expiringAt(nowMs)).rejects.toEqual(tooLate);
    expect(await catalog.tokens.list({ limit: 1000 })).toEqual(listed);
  });

  it('are refused with one character changed, anywhere', async () => {
    const { text } = await createToken(catalog, operator, { name: 'x', grants: [{ scope: 'read' }] });
    for (let at = 0; at < text.length; at++) {
      const other = `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
      await expect(principal(`Bearer ${other}`), other).rejects.toEqual(refused);
    }
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer hf_',
    'Basic aGZfeDp5',
    'hf_abc',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer hf_ü',
    'Bearer a b',
  ])('%j is refused', async (text) => {
    await expect(principal(text)).rejects.toEqual(refused);
  });

  it('cannot grant more than their maker holds admin on', async () => {
    const maker = { id: 'm', name: 'm', grants: [{ scope: 'admin', namespace: 'acme' }] } as const;
    await expect(createToken(catalog, maker, { name: 'x', grants: [{ scope: 'read' }] })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(
      (
        await createToken(catalog, maker, {
          name: 'x',
          grants: [{ scope: 'read', namespace: 'acme', repository: 'lm' }],
        })
      ).record.grants,
    ).toHaveLength(1);
  });
});

describe('the first token', () => {
  it('is made once, however many ask at once, and never after another was made', async () => {
    const fresh = await openTestCatalog();
    try {
      const made = await Promise.all(Array.from({ length: 8 }, () => createFirstToken(fresh)));
      expect(made.filter((text) => text !== undefined)).toHaveLength(1);
      const [first] = await fresh.tokens.list({ limit: 10 });
      await fresh.tokens.revoke(first!.id);
      expect(await createFirstToken(fresh)).toBeUndefined();
    } finally {
      await fresh.close();
    }
    expect(await createFirstToken(catalog)).toBeUndefined();
  });
});

describeOnPostgres('tokens of gateways with clocks of their own', () => {
  it('are made and expire by the clock of the database', async () => {
    const database = await createTestDatabase();
    const shared = await database.open();
    try {
      const nowMs = (await shared.now()).getTime();
      const make = async (expiresAt: Date): Promise<string> =>
        `Bearer ${(await createToken(shared, operator, { name: 'x', grants: [{ scope: 'read' }], expiresAt })).text}`;
      const expired = `Bearer ${await expiredToken(shared)}`;
      for (const aheadMs of [-10 * soonMs, 10 * soonMs]) {
        vi.useFakeTimers({ toFake: ['Date'], now: nowMs + aheadMs });
        await expect(make(new Date(nowMs - 1)), `${aheadMs}`).rejects.toEqual(tooLate);
        const valid = await make(new Date(nowMs + soonMs));
        await expect(tokenAccess({ catalog: shared }).principal(expired), `${aheadMs}`).rejects.toEqual(refused);
        expect((await tokenAccess({ catalog: shared }).principal(valid)).name, `${aheadMs}`).toBe('x');
      }
    } finally {
      vi.useRealTimers();
      await shared.close();
      await database.drop();
    }
  });
});
