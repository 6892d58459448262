import { describe, expect, it } from 'vitest';
import { readTokenCommand } from './read-token-command.ts';

const now = new Date('2026-01-01T00:00:00Z');

describe('readTokenCommand', () => {
  it('reads what to make', () => {
    const read = readTokenCommand(
      ['create', '--name', 'ci', '--grant', 'write:acme', '--grant', 'read', '--expires', '30d'],
      now,
    );
    expect(read).toEqual({
      verb: 'create',
      name: 'ci',
      grants: [{ scope: 'write', namespace: 'acme' }, { scope: 'read' }],
      expiresAt: new Date('2026-01-31T00:00:00Z'),
    });
    expect(readTokenCommand(['list', '--url', 'http://h'], now)).toEqual({ verb: 'list', url: 'http://h' });
    expect(readTokenCommand(['revoke', 'abc'], now)).toEqual({ verb: 'revoke', id: 'abc' });
  });

  it.each([
    [['create', '--name', 'ci'], '--grant'],
    [['create', '--grant', 'read'], '--name'],
    [['create', '--name', 'ci', '--grant', 'owner'], 'no grant'],
    [['create', '--name', 'ci', '--grant', 'read', '--expires', '2020-01-01'], '--expires'],
    [['create', '--name', 'ci', '--grant', 'read', '--expires', '5'], '--expires'],
    [['create', 'x', '--name', 'ci', '--grant', 'read'], 'firn token create'],
    [['revoke'], 'firn token revoke'],
    [['revoke', 'a', 'b'], 'firn token revoke'],
    [[], 'firn token list'],
    [['list', '--nonsense'], '--nonsense'],
  ])('%j is refused with a sentence that names %s', (args, named) => {
    expect(() => readTokenCommand(args, now)).toThrowError(named);
  });
});
