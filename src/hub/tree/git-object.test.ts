import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import { blobOid, commitOid, inGitOrder, pointerBytes, pointerOid, treeOid } from './git-object.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
/** Each case starts git at least once. */
const gitRuns = { numRuns: 15 };

const fileOid = blobOid(Buffer.from('x'));
const entry = (kind: TreeEntry['kind'], name: string): TreeEntry =>
  kind === 'folder'
    ? {
        kind,
        name,
        oid: treeOid([{ kind: 'file', name: 'x', oid: fileOid, sizeBytes: 1, sha256: '', isLarge: false }]),
      }
    : { kind, name, oid: fileOid, sizeBytes: 1, sha256: '', isLarge: false };
const entryName = fc
  .stringMatching(/^[-a-zA-Z0-9._ é漢😀]{1,12}$/u)
  .filter((name) => name !== '.' && name !== '..' && name.toLowerCase() !== '.git');

describe('ids that git documents', () => {
  it.each([
    ['an empty file', blobOid(new Uint8Array()), 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'],
    ['an empty folder', treeOid([]), '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
    ['a file', blobOid(Buffer.from('hello\n')), 'ce013625030ba8dba906f756967f9e9ca394464a'],
  ])('of %s', (_, actual, expected) => expect(actual).toBe(expected));

  it('of the pointer that Git LFS writes, and its length', () => {
    const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    expect(pointerOid('a'.repeat(64), 12345)).toBe(blobOid(Buffer.from(text)));
    expect(pointerBytes('a'.repeat(64), 12345)).toBe(Buffer.byteLength(text));
  });
});

describe.skipIf(!hasGit)(`the ids of git itself${hasGit ? '' : ' (skipped: there is no git here)'}`, () => {
  let folder: string;
  const git = (args: readonly string[], input: Uint8Array | string, env: Record<string, string> = {}): string =>
    execFileSync('git', args, { cwd: folder, input, env: { ...process.env, ...env } })
      .toString()
      .trim();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'firn-git-'));
    git(['init', '-q', '.'], '');
    git(['hash-object', '-w', '--stdin'], 'x');
    git(['mktree', '-z'], `100644 blob ${fileOid}\tx\0`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are given to files', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(blobOid(bytes)).toBe(git(['hash-object', '--stdin'], bytes));
      }),
      gitRuns,
    );
  });

  it('are given to folders, whose entries git sorts in its own way', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.constantFrom('file', 'folder'), entryName), {
      selector: ([, name]) => name,
      maxLength: 8,
    });
    const check = (all: readonly TreeEntry[]): void => {
      const lines = all.map(({ kind, name, oid }) =>
        kind === 'folder' ? `040000 tree ${oid}\t${name}\0` : `100644 blob ${oid}\t${name}\0`,
      );
      expect(treeOid(inGitOrder(all))).toBe(git(['mktree', '-z'], lines.join('')));
    };
    // A folder sorts as if it ended in a slash: after "a.b", which a plain comparison of names puts behind it.
    check([entry('folder', 'a'), entry('file', 'a.b'), entry('file', 'a-b'), entry('file', 'a0')]);
    fc.assert(
      fc.property(entries, (all) => check(all.map(([kind, name]) => entry(kind as TreeEntry['kind'], name)))),
      gitRuns,
    );
  });

  it('are given to commits', () => {
    const treeId = git(['mktree', '-z'], `100644 blob ${fileOid}\tx\0`);
    const line = fc.stringMatching(/^[a-zA-Z0-9é漢]{1,10}$/u);
    const check = (title: string, message: string, author: string, seconds: number, parentId?: string): string => {
      const date = `${seconds} +0000`;
      const who = { NAME: author, EMAIL: author, DATE: date };
      const env = Object.fromEntries(
        Object.entries(who).flatMap(([key, value]) => [
          [`GIT_AUTHOR_${key}`, value],
          [`GIT_COMMITTER_${key}`, value],
        ]),
      );
      const parent = parentId === undefined ? [] : ['-p', parentId];
      const text = message === '' ? title : `${title}\n\n${message}`;
      const expected = git(['commit-tree', treeId, ...parent], text, env);
      const createdAt = new Date(seconds * 1000);
      const input = { treeId, title, message, author, createdAt, ...(parentId !== undefined && { parentId }) };
      expect(commitOid(input)).toBe(expected);
      return expected;
    };
    const first = check('first', '', 'me', 1_700_000_000);
    check('second', 'with a\nlong text', 'me', 1_700_000_001, first);
    fc.assert(
      fc.property(line, line, line, fc.integer({ min: 1e9, max: 2e9 }), (title, message, author, seconds) => {
        check(title, message, author, seconds, first);
      }),
      gitRuns,
    );
  });
});
