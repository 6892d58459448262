import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHubPath, type HubPath } from './parse-hub-path.ts';

const model = { type: 'model', namespace: 'me', name: 'lm' } as const;
const resolve = (...rest: string[]): HubPath => ({ at: 'resolve', repository: model, rest });
const ofRepository = (operation: string, ...rest: string[]): HubPath => ({
  at: 'repository',
  repository: model,
  operation,
  rest,
});
/** Quicker to set up than the characters of fast-check. */
const character = fc.nat(0xffff).map((code) => String.fromCharCode(code));
const nowhere: HubPath = { at: 'nowhere' };
const id = 'a'.repeat(32);
const oid = 'b'.repeat(64);

describe('the path of a hub client', () => {
  it.each<[string, HubPath | undefined]>([
    ['/api/whoami-v2', { at: 'api', operation: 'whoami-v2' }],
    ['/api/repos/create', { at: 'api', operation: 'repos/create' }],
    ['/api/models', { at: 'list', type: 'model' }],
    ['/api/models/me/lm', ofRepository('')],
    ['/api/models/me/lm/', ofRepository('')],
    ['/api/datasets/me/lm', { ...ofRepository(''), repository: { ...model, type: 'dataset' } } as HubPath],
    ['/api/models/me/lm/tree/main/a/b', ofRepository('tree', 'main', 'a', 'b')],
    ['/api/models/me/lm/tree/main/a%2Fb', ofRepository('tree', 'main', 'a/b')],
    ['/api/models/me/lm/revision/refs%2Fheads%2Fmain', ofRepository('revision', 'refs/heads/main')],
    ['/me/lm/resolve/main/config.json', resolve('main', 'config.json')],
    ['/me/lm/resolve/run%2Fstep-1/a%20b%25.txt', resolve('run/step-1', 'a b%.txt')],
    [
      '/datasets/me/lm/resolve/main/x',
      { ...resolve('main', 'x'), repository: { ...model, type: 'dataset' } } as HubPath,
    ],
    ['/me/lm.git/info/lfs/objects/batch', { at: 'lfs-batch', repository: model }],
    [`/hub/lfs/${id}/${oid}`, { at: 'lfs-object', repositoryId: id, sha256: oid }],
    [
      `/hub/xet/${id}/1/v1/xorbs/default/${oid}`,
      { at: 'xet', repositoryId: id, rest: ['1', 'v1', 'xorbs', 'default', oid] },
    ],
    // A percent sign that is escaped itself is part of a name, never a second escape.
    ['/me/lm/resolve/main/a%252Fb', resolve('main', 'a%2Fb')],
    ['/api/models/me%2Flm', nowhere],
    ['/api/models/me%252Flm', nowhere],
    ['/me%252Flm/resolve/main/x', nowhere],
    ['/api/models//lm', nowhere],
    ['/api//models/me/lm', nowhere],
    ['/gpt2/resolve/main/x', nowhere],
    ['/datasets/squad/resolve/main/x', nowhere],
    ['/me/resolve/resolve/main/x', { ...resolve('main', 'x'), repository: { ...model, name: 'resolve' } } as HubPath],
    ['//api/models/me/lm', undefined],
    ['/me/lm/resolve/main//x', resolve('main', '', 'x')],
    ['/me/lm/tree/main//x', undefined],
    ['/api/models/me/lm/tree/main//x', nowhere],
    ['/me/lm/resolve/main/../x', nowhere],
    ['/me/lm/resolve/main/%2e%2e/x', nowhere],
    ['/me/lm/resolve/main/a%2F..%2Fx', nowhere],
    ['/me/lm/resolve/main/a%2F', resolve('main', 'a/')],
    ['/me/lm/resolve/main/./x', nowhere],
    ['/me/lm/resolve/main/a%5Cb', nowhere],
    ['/me/lm/resolve/main/a\\b', nowhere],
    ['/me/lm/resolve/main/a%00b', nowhere],
    ['/me/lm/resolve/main/a%0Ab', nowhere],
    ['/me/lm/resolve/main/a%zz', nowhere],
    ['/me/lm/resolve/main/%C0%AE%C0%AE', nowhere],
    ['/api/models/../v1/tokens', nowhere],
    ['/hub/lfs/short/x', nowhere],
    [`/hub/lfs/${id}/${oid.toUpperCase()}`, nowhere],
    [`/hub/xet/${id}%2F..`, nowhere],
    ['/me/-lm/resolve/main/x', nowhere],
    ['/', undefined],
    ['/v1/repositories/me/lm', undefined],
    ['/v1/repositories/me/resolve/runs', undefined],
    ['/%76%31/repositories/resolve', undefined],
    ['/healthz', undefined],
    ['/openapi.json', undefined],
    ['/me/lm', undefined],
    ['/me/lm/info', undefined],
  ])('%s', (pathname, expected) => expect(parseHubPath(pathname)).toEqual(expected));

  it('is read of any text without failing, and what it gives is safe', () => {
    const piece = fc.oneof(
      fc.string({ unit: character, maxLength: 6 }),
      fc.constantFrom(
        '/',
        '%',
        '%2F',
        '%252F',
        '..',
        '.',
        '%00',
        '\\',
        '%5c',
        'resolve',
        'api',
        'models',
        'hub',
        'xet',
        'me',
        'lm',
        id,
        oid,
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom('', '/', '/api/', '/me/lm/resolve/'),
        (all, start) => {
          const path = parseHubPath(start + all.join(''));
          const rest = path !== undefined && 'rest' in path ? path.rest : [];
          for (const part of rest.join('/').split('/')) {
            if (rest.length > 0) expect(['.', '..']).not.toContain(part);
            if (path?.at !== 'resolve' && path?.at !== 'raw' && rest.length > 0) expect(part).not.toBe('');
            expect(part).not.toMatch(/[\\\u0000-\u001f]/);
          }
          if (path !== undefined && 'repository' in path)
            expect(`${path.repository.namespace}/${path.repository.name}`).toMatch(
              /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/,
            );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('means the same with slashes plain and escaped, but for where the segments end', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9 _.%+é漢-]{1,8}$/u).filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (parts) => {
        const spelled = (slash: string): HubPath | undefined =>
          parseHubPath(`/me/lm/resolve/main/${parts.map(encodeURIComponent).join(slash)}`);
        for (const slash of ['/', '%2F', '%2f']) {
          const path = spelled(slash);
          expect(path !== undefined && 'rest' in path && path.rest.join('/')).toBe(['main', ...parts].join('/'));
        }
      }),
    );
  });
});
