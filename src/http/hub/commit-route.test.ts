import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { blobOid } from '../../hub/tree/git-object.ts';
import { createApp } from '../app.ts';
import { openTestGateway, type TestGateway } from '../gateway.test-support.ts';
import { caller, type Call } from '../http-client.test-support.ts';
import { expectHubError, file, header, HubClient, lfsFile, ok, sha256 } from './hub-client.test-support.ts';

let gateway: TestGateway;
let call: Call;
let made = 0;

beforeAll(async () => {
  gateway = await openTestGateway();
  call = caller(createApp(gateway));
});
afterAll(() => gateway.close());

const newRepository = (): Promise<HubClient> => new HubClient(call, `acme/commits-${++made}`).create();

describe('a commit', () => {
  it('changes files inline and large ones, and answers with its id and address', async () => {
    const hub = await newRepository();
    const large = Buffer.from('large\0bytes');
    await hub.upload(large);
    const answer = ok(
      await hub.tryCommit([header('first', { description: 'more' }), file('a/b.txt', 'text'), lfsFile('x.bin', large)]),
    );
    const { commitOid, commitUrl } = answer.json;
    expect(commitOid).toMatch(/^[0-9a-f]{40}$/);
    expect(commitUrl).toBe(`http://localhost/${hub.id}/commit/${commitOid}`);
    expect(await hub.paths()).toEqual(['a/b.txt', 'x.bin']);
    expect((await hub.bytes('main', 'a/b.txt')).toString()).toBe('text');
    expect(await hub.bytes(commitOid, 'x.bin')).toEqual(large);
    const [newest] = ok(await hub.api('GET', '/commits/main')).json;
    expect(newest).toMatchObject({ id: commitOid, title: 'first', message: 'more' });
  });

  it('are counted and listed in pages, whatever number is asked for', async () => {
    const hub = await newRepository();
    for (const name of ['a', 'b', 'c']) await hub.commit([header(name), file(name, name)]);
    const listed = async (query: string): Promise<unknown[]> => {
      const { json, headers } = ok(await hub.api('GET', `/commits/main${query}`));
      const titles = json.map(({ title }: { title: string }) => title).join();
      return [titles, headers.get('x-total-count'), headers.has('link')];
    };
    expect(await listed('')).toEqual(['c,b,a,initial commit', '4', false]);
    expect(await listed('?limit=1')).toEqual(['c', '4', true]);
    expect(await listed('?limit=3&p=1')).toEqual(['initial commit', '4', false]);
    for (const limit of [-5, 0, 'x', 1000]) expect(await listed(`?limit=${limit}`)).toEqual(await listed(''));
  });

  it('that changes nothing says so', async () => {
    const hub = await newRepository();
    const lines = [header('once'), file('a', 'a')];
    expect(ok(await hub.tryCommit(lines)).json.hookOutput).toBe('');
    expect(ok(await hub.tryCommit(lines)).json.hookOutput).toMatch(/^Nothing was written/);
  });

  it('of hundreds of small files is stored in a few transactions, equal files once', async () => {
    const hub = await newRepository();
    const paths = Array.from({ length: 600 }, (_, i) => `f-${i % 7}/${String(i).padStart(3, '0')}.txt`);
    const lines = paths.map((path, i) => file(path, `text ${i % 500}`));
    let transactions = 0;
    const { transaction } = gateway.ingest.catalog;
    const counted = vi.spyOn(gateway.ingest.catalog, 'transaction').mockImplementation((work) => {
      transactions += 1;
      return transaction(work);
    });
    await hub.commit([header(), ...lines]);
    counted.mockRestore();
    expect(transactions).toBeLessThan(15);
    expect(await hub.paths()).toEqual([...paths].sort());
    for (const i of [0, 1, 255, 256, 499, 500, 599])
      expect((await hub.bytes('main', paths[i]!)).toString()).toBe(`text ${i % 500}`);
    // Bytes that the repository has already are not stored again.
    await hub.commit([header('again'), file('copy.txt', 'text 7')]);
    expect((await hub.bytes('main', 'copy.txt')).toString()).toBe('text 7');
  });

  it('may have many thousand operations', async () => {
    const hub = await newRepository();
    const paths = Array.from({ length: 12_000 }, (_, i) => `f-${i % 50}/${i}.txt`);
    await hub.commit([header(), ...paths.map((path) => file(path, 'the same text'))]);
    await hub.commit([header(), ...paths.slice(1).map((path) => ({ key: 'deletedFile', value: { path } }))]);
    expect(await hub.paths()).toEqual([paths[0]]);
  });

  it('is absent as a whole when any part of it is refused', async () => {
    const hub = await newRepository();
    const before = await hub.commit([header(), file('kept.txt', '1')]);
    const good = file('new.txt', '2');
    const never = Buffer.from('never uploaded');
    const refused: [string, unknown[] | string, number][] = [
      ['a file that was not uploaded', [header(), good, lfsFile('x.bin', never)], 409],
      ['a copy of what is absent', [header(), good, { key: 'lfsFile', value: { path: 'x', oid: sha256(never) } }], 409],
      ['a deletion of what is absent', [header(), good, { key: 'deletedFile', value: { path: 'none' } }], 404],
      ['a folder that is absent', [header(), good, { key: 'deletedFolder', value: { path: 'none/' } }], 404],
      ['no header', [good], 400],
      ['an operation that is not known', [header(), good, { key: 'rename', value: {} }], 400],
      ['a line that is no object', [header(), good, 'text'], 400],
      [
        'an unknown encoding',
        [header(), good, { key: 'file', value: { path: 'y', content: '', encoding: 'hex' } }],
        400,
      ],
      ['an oid that is none', [header(), { key: 'lfsFile', value: { path: 'x', oid: '../../x', size: 1 } }], 400],
      ['a file and a folder of one name', [header(), file('d', '1'), file('d/e', '2')], 400],
      ['half a line', `${JSON.stringify(header())}\n${JSON.stringify(good)}\n{"key":"fi`, 400],
    ];
    for (const path of [
      '',
      '/',
      '/etc/x',
      '../x',
      'a/../x',
      'a//b',
      'a/./b',
      'a\\b',
      'a\u0000b',
      'a\nb',
      'x/',
      'y'.repeat(1025),
    ])
      refused.push([`the path ${JSON.stringify(path)}`, [header(), good, file(path, 'x')], 400]);
    refused.push([
      `a large file's path`,
      [header(), good, { key: 'lfsFile', value: { path: '../x', oid: sha256(never) } }],
      400,
    ]);
    for (const [what, lines, status] of refused) {
      const body = typeof lines === 'string' ? lines : lines.map((line) => JSON.stringify(line)).join('\n');
      const answer = await hub.api('POST', '/commit/main', Buffer.from(body));
      expect(answer.status, what).toBe(status);
      expectHubError(answer, status);
      expect(await hub.head(), what).toBe(before);
    }
    expect(await hub.paths()).toEqual(['kept.txt']);
  });

  it('is refused with 412 when the branch has moved on, and leaves it as it is', async () => {
    const hub = await newRepository();
    const first = await hub.commit([header(), file('a', '1')]);
    const second = await hub.commit([header('on it', { parentCommit: first }), file('a', '2')]);
    const stale = await hub.tryCommit([header('late', { parentCommit: first }), file('a', '3')]);
    expectHubError(stale, 412);
    expect(stale.json.error).toMatch(/A commit has happened since/);
    expect(await hub.head()).toBe(second);
  });

  it('is made once, however often the request is repeated', async () => {
    const hub = await newRepository();
    const start = await hub.head();
    const lines = [header('once'), file('a', '1')];
    const ids = new Set<string>();
    for (let tries = 0; tries < 3; tries++) ids.add(await hub.commit(lines));
    // At the same time, too.
    const others = [header('twice', { parentCommit: [...ids][0] }), file('b', '1')];
    const answers = await Promise.all(Array.from({ length: 5 }, () => hub.tryCommit(others)));
    answers.forEach((answer) => ids.add(ok(answer).json.commitOid));
    expect(await hub.history()).toEqual([...[...ids].reverse(), start]);
    expect(ids.size).toBe(2);
  });

  it('is found again when its request is repeated after the next commit', async () => {
    const hub = await newRepository();
    const parentCommit = await hub.head();
    const lines = [header('lost answer', { parentCommit }), file('a', '1')];
    const first = await hub.commit(lines);
    const second = await hub.commit([header('another client'), file('b', '1')]);
    expect(await hub.commit(lines)).toBe(first);
    expect(await hub.head()).toBe(second);
    // The same change on purpose, after it was undone, is a commit of its own.
    const again = [header('same'), file('c', '1')];
    const one = await hub.commit(again);
    await hub.commit([header('undo'), { key: 'deletedFile', value: { path: 'c' } }]);
    expect(await hub.commit(again)).not.toBe(one);
  });

  it('without any change is the commit that is there', async () => {
    const hub = await newRepository();
    const first = await hub.commit([header(), file('a', '1')]);
    expect(await hub.commit([header('same bytes'), file('a', '1')])).toBe(first);
    expect(await hub.commit([header('nothing')])).toBe(first);
  });

  it('deletes files and folders before it puts files, and copies large files without their bytes', async () => {
    const hub = await newRepository();
    const large = Buffer.from('a large file');
    await hub.upload(large);
    await hub.commit([header(), file('d/1', '1'), file('d/2', '2'), file('e', '3'), lfsFile('x.bin', large)]);
    const copy = { key: 'lfsFile', value: { path: 'copies/y.bin', algo: 'sha256', oid: sha256(large) } };
    await hub.commit([header(), file('d/3', 'new'), { key: 'deletedFolder', value: { path: 'd/' } }, copy]);
    await hub.commit([header(), { key: 'deletedFile', value: { path: 'e' } }, file('e/f', '4')]);
    expect(await hub.paths()).toEqual(['copies/y.bin', 'd/3', 'e/f', 'x.bin']);
    expect(await hub.bytes('main', 'copies/y.bin')).toEqual(large);
    await hub.commit([header(), ...['copies', 'd', 'e'].map((path) => ({ key: 'deletedFolder', value: { path } }))]);
    await hub.commit([header(), { key: 'deletedFile', value: { path: 'x.bin' } }]);
    expect(await hub.paths()).toEqual([]);
    expect(ok(await hub.api('GET', '')).json.siblings).toEqual([]);
  });

  it('goes to a branch that exists, under either spelling, and to no other', async () => {
    const hub = await newRepository();
    await hub.commit([header(), file('a', '1')]);
    ok(await hub.api('POST', '/branch/feature%2Fx', { startingPoint: 'main' }));
    const first = await hub.commit([header(), file('b', '1')], 'feature/x');
    const raw = ok(
      await hub.api(
        'POST',
        '/commit/feature/x',
        Buffer.from([header(), file('c', '1')].map((each) => JSON.stringify(each)).join('\n')),
      ),
    );
    expect(await hub.history('feature/x')).toEqual([raw.json.commitOid, first, ...(await hub.history('main'))]);
    expect(await hub.paths('main')).toEqual(['a']);
    expectHubError(await hub.tryCommit([header(), file('b', '1')], 'nowhere'), 404, 'RevisionNotFound');
    expectHubError(await hub.api('POST', '/commit/main?create_pr=1', Buffer.from(JSON.stringify(header()))), 400);
  });

  it('of two writers at once succeeds for one when both name the parent, for both when none does', async () => {
    const hub = await newRepository();
    const parentCommit = await hub.head();
    const race = (more: object) =>
      Promise.all(['x', 'y', 'z'].map((name) => hub.tryCommit([header(name, more), file(name, name)])));
    expect((await race({ parentCommit })).map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await race({})).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await hub.paths()).toEqual(['x', 'y', 'z']);
  });

  it('keeps README.md and readme.md apart, as native routes do', async () => {
    const hub = await newRepository();
    await hub.commit([header(), file('README.md', 'upper'), file('readme.md', 'lower'), file('Readme.md/x', 'folder')]);
    expect((await hub.bytes('main', 'README.md')).toString()).toBe('upper');
    expect((await hub.bytes('main', 'readme.md')).toString()).toBe('lower');
    expect((await hub.bytes('main', 'Readme.md/x')).toString()).toBe('folder');
  });

  it.each<[string, readonly string[]]>([
    ['in case alone', ['README.md', 'readme.md', 'Data/x', 'data/x']],
    ['in the form of their characters', ['caf\u00e9.txt', 'cafe\u0301.txt', '\u212b/x', '\u00c5/x', 'A\u030a/x']],
    ['from those that Windows can have', ['con', 'NUL.txt', 'a.', 'a ', 'ab:c', 'x<y>|"?*', 'com1/x', 'a']],
  ])('gives back files whose names differ %s, each under its own name', async (_, paths) => {
    for (const isOneCommit of [true, false]) {
      const hub = await newRepository();
      const lines = paths.map((path) => file(path, `text of ${path}`));
      if (isOneCommit) await hub.commit([header(), ...lines]);
      else for (const line of lines) await hub.commit([header(), line]);
      expect((await hub.paths()).sort()).toEqual([...paths].sort());
      const found = ok(await hub.api('POST', '/paths-info/main', { paths })).json;
      const oids = paths.map((path) => [path, blobOid(Buffer.from(`text of ${path}`))]);
      expect(found.map(({ path, oid }: { path: string; oid: string }) => [path, oid])).toEqual(oids);
      for (const path of paths) {
        const raw = path.split('/').map(encodeURIComponent).join('/');
        expect((await hub.bytes('main', raw)).toString(), path).toBe(`text of ${path}`);
      }
      // Each can be deleted without the others.
      await hub.commit([header(), { key: 'deletedFile', value: { path: paths[0] } }]);
      expect((await hub.paths()).sort()).toEqual(paths.slice(1).sort());
    }
  });

  it.each(['c:/x.txt', 'C:x', 'a/d:/x', 'a/d:'])('has no file that clients would not download: %s', async (path) => {
    const hub = await newRepository();
    const refused = await hub.tryCommit([header(), file('a.txt', 'a'), file(path, 'x')]);
    expectHubError(refused, 400, 'invalid-request');
    expect(refused.json.error).toMatch(/drive/);
    expect(await hub.paths()).toEqual([]);
  });

  it.each(['!!!!', 'YQ', 'YQ=', 'Y Q==', 'YQ==YQ==', 'YQ\u00e9='])(
    'has no content that is not base64: %j',
    async (content) => {
      const hub = await newRepository();
      const refused = await hub.tryCommit([
        header(),
        { key: 'file', value: { path: 'a.txt', content, encoding: 'base64' } },
      ]);
      expectHubError(refused, 400, 'invalid-request');
      expect(refused.json.error).toMatch(/a\.txt.*base64/);
    },
  );

  it('puts nothing where git keeps its own files, and takes the files that are for git', async () => {
    const hub = await newRepository();
    const large = Buffer.from('large\0bytes');
    await hub.upload(large);
    const before = await hub.head();
    for (const path of ['.git', '.git/config', 'a/.git/hooks/post-checkout', 'a/.git', '.GIT/config', 'a/.Git'])
      for (const line of [file(path, 'x'), lfsFile(path, large)]) {
        const refused = await hub.tryCommit([header(), line]);
        expectHubError(refused, 400, 'invalid-request');
        expect(refused.json.error).toMatch(/\.git/i);
      }
    expect(await hub.head()).toBe(before);
    const paths = ['.gitattributes', '.gitignore', '.github/x', 'a/.gitkeep', 'x.git/y', 'git'];
    await hub.commit([header(), ...paths.map((path) => file(path, 'x'))]);
    expect((await hub.paths()).sort()).toEqual([...paths].sort());
  });

  it('takes any path that a disk can have, and gives it back', async () => {
    const hub = await newRepository();
    const paths = ['a b', 'ü/漢字.txt', '😀', '100%', 'a%2Fb', '__proto__', '.hidden', 'q?x=1#y', "it's", 'a+b', '-'];
    await hub.commit([header(), ...paths.map((path) => file(path, path))]);
    expect((await hub.paths()).sort()).toEqual([...paths].sort());
    for (const path of paths) {
      const raw = path.split('/').map(encodeURIComponent).join('/');
      for (const spelling of [raw, encodeURIComponent(path)])
        expect((await hub.bytes('main', spelling)).toString(), spelling).toBe(path);
    }
    const found = ok(await hub.api('POST', '/paths-info/main', { paths: [...paths, 'absent', '../x', ''] })).json;
    expect(found.map(({ path, oid }: { path: string; oid: string }) => [path, oid])).toEqual(
      paths.map((path) => [path, blobOid(Buffer.from(path))]),
    );
  });
});
