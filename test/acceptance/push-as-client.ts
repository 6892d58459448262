import { expect } from 'vitest';
import { sha256 } from './hub-api.ts';

/** A commit of files to a branch, as hub clients send one: large files by their digests, small ones in the commit. */
export interface ClientCommit {
  /** `namespace/name`. */
  readonly id: string;
  readonly summary: string;
  readonly large: Readonly<Record<string, Buffer>>;
  readonly small?: Readonly<Record<string, string>>;
}

/** Uploads and commits to `main` as a hub client does, and returns the commit. */
export async function pushAsClient(url: string, { id, summary, large, small = {} }: ClientCommit): Promise<string> {
  const objects = Object.values(large).map((bytes) => ({ oid: sha256(bytes), size: bytes.length }));
  const batch = await post(`${url}/${id}.git/info/lfs/objects/batch`, JSON.stringify({ operation: 'upload', objects }));
  const { objects: answered } = (await batch.json()) as {
    objects: { oid: string; actions?: { upload: { href: string } } }[];
  };
  for (const bytes of Object.values(large)) {
    const href = answered.find(({ oid }) => oid === sha256(bytes))!.actions?.upload.href;
    if (href !== undefined)
      expect((await fetch(href, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  }
  const lines = [
    { key: 'header', value: { summary } },
    ...Object.entries(small).map(([path, content]) => ({
      key: 'file',
      value: { path, content: Buffer.from(content).toString('base64'), encoding: 'base64' },
    })),
    ...Object.entries(large).map(([path, bytes]) => ({
      key: 'lfsFile',
      value: { path, algo: 'sha256', oid: sha256(bytes), size: bytes.length },
    })),
  ];
  const answer = await post(
    `${url}/api/models/${id}/commit/main`,
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { commitOid: string }).commitOid;
}

function post(address: string, body: string): Promise<Response> {
  return fetch(address, { method: 'POST', body });
}
