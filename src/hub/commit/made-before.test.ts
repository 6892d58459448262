import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import { serverAuthor } from '../hub-context.ts';
import { type CommitRequest, madeBefore } from './made-before.ts';

const madeAt = new Date('2026-01-02T03:04:05Z');

/** Authors and digests of commits, newest first. */
type Line = readonly (readonly [author: string, requestSha256: string])[];

async function found(line: Line, request: CommitRequest, afterMs = 5_000): Promise<string | undefined> {
  const commits = line.map(([author, requestSha256], i): HubCommit => {
    const text = { repositoryId: 'r', treeId: 't', title: '', message: '' };
    const id = String(line.length - i);
    return { ...text, id, author, requestSha256, createdAt: madeAt, parentId: String(line.length - i - 1) };
  });
  const tx = {
    now: async () => new Date(madeAt.getTime() + afterMs),
    hub: { revisions: { history: async () => commits } },
  } as unknown as Catalog;
  return (await madeBefore(tx, commits[0]!, request))?.id;
}

describe('a request that made a commit before', () => {
  const once = { author: 'me', requestSha256: 'once' };

  it.each<[string, Line, CommitRequest, string | undefined]>([
    [
      'is known at the newest commit',
      [
        ['me', 'once'],
        ['me', 'x'],
      ],
      once,
      '2',
    ],
    [
      'is known below commits of the server',
      [
        [serverAuthor, ''],
        ['me', 'once'],
      ],
      once,
      '1',
    ],
    [
      'is known after other writers',
      [
        ['you', 'x'],
        [serverAuthor, ''],
        ['you', 'y'],
        ['me', 'once'],
      ],
      once,
      '1',
    ],
    [
      'is new once its author committed something else',
      [
        ['you', 'x'],
        ['me', 'undo'],
        ['me', 'once'],
      ],
      once,
      undefined,
    ],
    [
      'is new if another writer sent the same',
      [
        ['you', 'x'],
        ['them', 'once'],
      ],
      once,
      undefined,
    ],
    [
      'is known by its parent',
      [
        ['me', 'x'],
        ['me', 'once'],
        ['me', 'y'],
      ],
      { ...once, parentCommit: '1' },
      '2',
    ],
    [
      'is new with another parent',
      [
        ['you', 'x'],
        ['me', 'once'],
      ],
      { ...once, parentCommit: '2' },
      undefined,
    ],
  ])('%s', async (_, line, request, id) => {
    expect(await found(line, request)).toBe(id);
  });

  it('is new a minute later, when others have committed since', async () => {
    const line: Line = [
      ['you', 'x'],
      ['me', 'once'],
    ];
    expect([await found(line, once, 59_999), await found(line, once, 60_000)]).toEqual(['1', undefined]);
    expect(await found(line.slice(1), once, 1e9)).toBe('1');
  });
});
