/**
 * Records what an unmodified Xet client uploads, for the tests of src/xet: `node --import tsx
 * scripts/record-xet-fixtures.ts PYTHON`, where PYTHON is an interpreter with huggingface_hub 1.33.0 and hf_xet 1.6.0.
 * A stub hub on a free local port takes the uploads of src/xet/recorded-files.test-support.ts one after another and
 * writes xorbs, shards and `requests.json` to src/xet/fixtures.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordedUploads } from '../src/xet/recorded-files.test-support.ts';

const fixtures = join(import.meta.dirname, '../src/xet/fixtures');
/** Xorbs above this are not kept: tests build them anew and compare the digest. */
const keptXorbBytesMax = 200_000;
const python = process.argv[2] ?? 'python3';

interface RecordedRequest {
  upload: string;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  bodyBytes: number;
  bodySha256: string;
  status: number;
  reply: string;
}

const requests: RecordedRequest[] = [];
let upload = '';
let shardsOfUpload = 0;

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const path = req.url ?? '';
  const { status, type = 'application/json', text } = reply(req.method ?? '', path, body);
  const { host: _host, authorization, ...headers } = req.headers;
  // Of what the client asks the hub, only the token belongs to Xet.
  if (path.startsWith('/cas/') || path.includes('/xet-'))
    requests.push({
      upload,
      method: req.method ?? '',
      path,
      headers: { ...headers, authorization: authorization?.replace(/\S+$/, (token) => token.slice(0, 6) + '…') },
      bodyBytes: body.length,
      bodySha256: createHash('sha256').update(body).digest('hex'),
      status,
      reply: text.replaceAll(endpoint(), 'http://hub'),
    });
  res.writeHead(status, { 'content-type': type, ...(status === 404 ? { 'x-error-code': 'EntryNotFound' } : {}) });
  res.end(text);
}

function reply(method: string, path: string, body: Buffer): { status: number; type?: string; text: string } {
  const json = (value: unknown, status = 200) => ({ status, text: JSON.stringify(value) });
  if (path === '/api/whoami-v2') return json({ type: 'user', name: 'me', orgs: [], auth: {} });
  if (path === '/api/repos/create') return json({ url: `${endpoint()}/me/model`, id: 'me/model' });
  if (path.includes('/preupload/')) {
    const { files } = JSON.parse(body.toString()) as { files: { path: string }[] };
    return json({ files: files.map((file) => ({ path: file.path, uploadMode: 'lfs', shouldIgnore: false })) });
  }
  if (path.includes('/xet-write-token/'))
    return json({ accessToken: 'cas-token', exp: Math.floor(Date.now() / 1000) + 3600, casUrl: `${endpoint()}/cas` });
  if (method === 'POST' && path.startsWith('/cas/v1/xorbs/')) {
    save(`${path.split('/').at(-1)!}.xorb`, body);
    return json({ was_inserted: true });
  }
  if (method === 'POST' && path === '/cas/v2/shards') {
    save(`${shardsOfUpload++}.shard`, body);
    // The last upload meets a server without v2, so that the fallback is recorded too.
    if (upload === 'random') return json({ error: 'no such route' }, 404);
    const events = [
      { type: 'validating', verified: 0, total: 1 },
      { type: 'committing', stage: 'uploading' },
      { type: 'committing', stage: 'syncing' },
      { type: 'result' },
    ];
    const lines = events.map((event) => JSON.stringify(event) + '\n').join('');
    return { status: 200, type: 'application/x-ndjson', text: lines };
  }
  if (method === 'POST' && path === '/cas/v1/shards') return json({ result: 1 });
  if (path.includes('/commit/')) {
    const oid = 'a'.repeat(40);
    return json({ commitUrl: `${endpoint()}/me/model/commit/${oid}`, commitOid: oid, hookOutput: '' });
  }
  return json({ error: 'no such route' }, 404);
}

function save(name: string, body: Buffer): void {
  if (name.endsWith('.xorb') && body.length > keptXorbBytesMax) return;
  writeFileSync(join(fixtures, `${upload}-${name}`), body);
}

const program = `
import sys
from huggingface_hub import HfApi
HfApi(token="hf_recorded").upload_folder(repo_id="me/model", folder_path=sys.argv[1], commit_message="recorded")
`;

async function runClient(folder: string, home: string): Promise<void> {
  const environment = { ...process.env, HF_ENDPOINT: endpoint(), HF_HOME: home, HF_HUB_DISABLE_PROGRESS_BARS: '1' };
  const child = spawn(python, ['-c', program, folder], { env: environment, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`the client ended with ${String(code)} in the upload ${upload}`);
}

const server = createServer((req, res) => void answer(req, res));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
function endpoint(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

rmSync(fixtures, { recursive: true, force: true });
mkdirSync(fixtures, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'record-xet-'));
for (const { name, files } of recordedUploads()) {
  upload = name;
  shardsOfUpload = 0;
  const folder = join(work, name);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file.path)), { recursive: true });
    writeFileSync(join(folder, file.path), file.bytes);
  }
  await runClient(folder, join(work, 'home'));
}
server.close();
writeFileSync(join(fixtures, 'requests.json'), JSON.stringify(requests, null, 2) + '\n');
rmSync(work, { recursive: true });
