import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import { expectCode, freshName, makeRepository } from '../../catalog-fixtures.test-support.ts';

const secretSha256 = 'ab'.repeat(32);

/** Tokens, and the visibility of repositories. */
export function accessSuite(open: () => Catalog): void {
  test('a token is kept as it was made, until it is revoked', async () => {
    const { tokens } = open();
    const expiresAt = new Date('2030-01-01T00:00:00Z');
    const id = freshName();
    const grants = [{ scope: 'write', namespace: 'acme' }] as const;
    const made = await tokens.create({ id, name: 'ci', secretSha256, grants, expiresAt });
    expect(made).toEqual({ id, name: 'ci', secretSha256, grants, expiresAt, createdAt: expect.any(Date) });
    expect(await tokens.get(id)).toEqual(made);
    expect((await tokens.list({ limit: 1000 })).find((token) => token.id === id)).toEqual(made);
    await expectCode(tokens.create({ id, name: 'other', secretSha256, grants }), 'conflict');
    const { revokedAt } = await tokens.revoke(id);
    expect((await tokens.revoke(id)).revokedAt).toEqual(revokedAt);
    expect((await tokens.get(id))!.revokedAt).toEqual(revokedAt);
    await expectCode(tokens.revoke('nobody'), 'not-found');
    expect(await tokens.get('nobody')).toBeUndefined();
  });

  test('a token is valid until the database says that it is revoked or over', async () => {
    const { tokens, now } = open();
    const nowMs = (await now()).getTime();
    const make = async (expiresAt?: Date): Promise<string> =>
      (
        await tokens.create({
          id: freshName(),
          name: 'x',
          secretSha256,
          grants: [],
          ...(expiresAt !== undefined && { expiresAt }),
        })
      ).id;
    const [endless, later, over, revoked] = [
      await make(),
      await make(new Date(nowMs + 60_000)),
      await make(new Date(nowMs - 1)),
      await make(),
    ];
    await tokens.revoke(revoked);
    expect(await tokens.valid(endless)).toEqual(await tokens.get(endless));
    expect(await tokens.valid(later)).toEqual(await tokens.get(later));
    expect([await tokens.valid(over), await tokens.valid(revoked), await tokens.valid('nobody')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('a token needs a valid digest', async () => {
    await expectCode(
      open().tokens.create({ id: freshName(), name: 'x', secretSha256: 'hf_secret', grants: [] }),
      'internal',
    );
  });

  test('a repository is private by default', async () => {
    const { repositories } = open();
    const { id, visibility } = await makeRepository(open());
    expect(visibility).toBe('private');
    expect((await repositories.setVisibility(id, 'public')).visibility).toBe('public');
    expect((await repositories.get(id))!.visibility).toBe('public');
    await expectCode(repositories.setVisibility('nobody', 'public'), 'not-found');
  });

  test('a list has public repositories, and those named by namespace and by repository', async () => {
    const { repositories } = open();
    const make = async (namespace: string, name: string, visibility: 'private' | 'public'): Promise<void> =>
      void (await repositories.create({ namespace, name, type: 'model', visibility }));
    const [a, b] = [`va-${freshName()}`, `vb-${freshName()}`];
    await make(a, 'one', 'private');
    await make(a, 'two', 'public');
    await make(b, 'one', 'private');
    await make(b, 'two', 'private');
    const seen = async (visible: Parameters<typeof repositories.list>[1]): Promise<string[]> =>
      (await repositories.list({ limit: 1000 }, visible))
        .filter(({ namespace }) => [a, b].includes(namespace))
        .map(({ namespace, name }) => `${namespace === a ? 'a' : 'b'}/${name}`);
    expect((await seen({ namespaces: [], repositories: [] })).sort()).toEqual(['a/two']);
    expect((await seen({ namespaces: [b], repositories: [] })).sort()).toEqual(['a/two', 'b/one', 'b/two']);
    expect(
      (
        await seen({
          namespaces: [],
          repositories: [
            { namespace: a, name: 'one' },
            { namespace: b, name: 'two' },
          ],
        })
      ).sort(),
    ).toEqual(['a/one', 'a/two', 'b/two']);
    expect(await seen('all')).toHaveLength(4);
  });
}
