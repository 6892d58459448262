// What @huggingface/hub does with a hub. Arguments: module to import, address, token, repository, folder for files.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [module, hubUrl, accessToken, name, folder] = process.argv.slice(2);
const hub = await import(module);
const common = { hubUrl, accessToken };
const repo = { type: 'model', name };
const mib = 1024 * 1024;

async function all(generator) {
  const found = [];
  for await (const each of generator) found.push(each);
  return found;
}

async function download(path, more = {}) {
  const blob = await hub.downloadFile({ ...common, repo, path, ...more });
  return blob === null ? null : Buffer.from(await blob.arrayBuffer());
}

function tinyModel(value) {
  const header = Buffer.from(
    JSON.stringify({ __metadata__: { format: 'pt' }, w: { dtype: 'F32', shape: [64, 64], data_offsets: [0, 16384] } }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.from(new Float32Array(64 * 64).fill(value).buffer)]);
}

// Repositories
const me = await hub.whoAmI(common);
assert.equal(me.name, name.split('/')[0]);
const made = await hub.createRepo({ ...common, repo, private: true });
assert.ok(made.repoUrl.endsWith(`/${name}`));
await assert.rejects(hub.createRepo({ ...common, repo }), { statusCode: 409 });
await hub.checkRepoAccess({ ...common, repo });
if (hub.repoExists !== undefined) {
  assert.equal(await hub.repoExists({ ...common, repo }), true);
  assert.equal(await hub.repoExists({ ...common, repo: `${name}-absent` }), false);
}
await assert.rejects(hub.modelInfo({ ...common, name: `${name}-absent` }));

// Files of the sizes at which clients and servers cut
const files = new Map([
  ['empty.txt', Buffer.alloc(0)],
  ['one.bin', Buffer.from([7])],
  ['notes/a name with spaces and ü.txt', Buffer.from('text')],
  ['model.safetensors', tinyModel(1)],
  ['large-1.bin', randomBytes(64 * mib - 1)],
  ['large.bin', randomBytes(64 * mib)],
  ['large+1.bin', randomBytes(64 * mib + 1)],
]);
const first = await hub.uploadFiles({
  ...common,
  repo,
  commitTitle: 'step 1',
  files: [...files].map(([path, bytes]) => ({ path, content: new Blob([bytes]) })),
});
assert.match(first.commit.oid, /^[0-9a-f]{40}$/);
for (const [path, bytes] of files) assert.ok(bytes.equals(await download(path)), path);
assert.equal(await download('absent.txt'), null);

// A local file, a second step, and what came before
await writeFile(join(folder, 'model.safetensors'), tinyModel(2));
await hub.uploadFile({
  ...common,
  repo,
  file: pathToFileURL(join(folder, 'model.safetensors')),
  commitTitle: 'step 2',
});
assert.ok(tinyModel(2).equals(await download('model.safetensors')));
for (const revision of ['step-1', first.commit.oid])
  assert.ok(tinyModel(1).equals(await download('model.safetensors', { revision })));

// What is there
const listed = await all(hub.listFiles({ ...common, repo, recursive: true }));
const sizes = new Map(listed.filter(({ type }) => type === 'file').map(({ path, size }) => [path, size]));
for (const [path, bytes] of files) assert.equal(sizes.get(path), bytes.length, path);
assert.equal(await hub.fileExists({ ...common, repo, path: 'one.bin' }), true);
assert.equal(await hub.fileExists({ ...common, repo, path: 'absent.bin' }), false);
const info = await hub.fileDownloadInfo({ ...common, repo, path: 'large.bin' });
assert.equal(info.size, 64 * mib);
const paths = await hub.pathsInfo({ ...common, repo, paths: ['one.bin', 'notes', 'absent'] });
assert.deepEqual(paths.map(({ path }) => path).sort(), ['notes', 'one.bin']);
const expanded = await hub.pathsInfo({ ...common, repo, paths: ['one.bin', 'model.safetensors'], expand: true });
assert.deepEqual(Object.fromEntries(expanded.map(({ path, lastCommit }) => [path, lastCommit.title])), {
  'one.bin': 'step 1',
  'model.safetensors': 'step 2',
});
const commits = await all(hub.listCommits({ ...common, repo }));
assert.deepEqual(commits.map(({ title }) => title).slice(0, 2), ['step 2', 'step 1']);
const described = await hub.modelInfo({ ...common, name, additionalFields: ['sha'] });
assert.equal(described.sha, commits[0].oid);
const models = await all(hub.listModels({ ...common, search: { owner: me.name, query: name.split('/')[1] } }));
assert.deepEqual(
  models.map((model) => model.name),
  [name],
);

// Tensors by range
const parsed = await hub.parseSafetensorsMetadata({ ...common, repo, computeParametersCount: true });
assert.deepEqual(parsed.header.w.shape, [64, 64]);
assert.equal(parsed.parameterCount.F32, 64 * 64);
const blob = await hub.downloadFile({ ...common, repo, path: 'large.bin' });
const middle = Buffer.from(await blob.slice(1000, 70_000).arrayBuffer());
assert.ok(files.get('large.bin').subarray(1000, 70_000).equals(middle));

// Whole repositories into a cache
const cacheDir = join(folder, 'cache');
const cached = await hub.downloadFileToCacheDir({
  ...common,
  repo,
  path: 'one.bin',
  cacheDir,
  revision: commits[0].oid,
});
assert.deepEqual(await readFile(cached), files.get('one.bin'));
const snapshot = await hub.snapshotDownload({ ...common, repo, cacheDir });
for (const [path, bytes] of files)
  if (path !== 'model.safetensors') assert.ok(bytes.equals(await readFile(join(snapshot, path))), path);

// A large file as git has it
const pointer = await hub.downloadFile({ ...common, repo, path: 'model.safetensors', raw: true });
assert.match(await pointer.text(), /^version https:\/\/git-lfs/);

// Branches, deletions, a stale parent
if (hub.createBranch !== undefined) {
  await hub.createBranch({ ...common, repo, branch: 'trial' });
  await hub.uploadFile({ ...common, repo, branch: 'trial', file: { path: 'b.txt', content: new Blob(['b']) } });
  assert.equal(String(await download('b.txt', { revision: 'trial' })), 'b');
  assert.equal(await download('b.txt'), null);
  await hub.deleteBranch({ ...common, repo, branch: 'trial' });
}
await hub.deleteFile({ ...common, repo, path: 'one.bin' });
await hub.deleteFiles({ ...common, repo, paths: ['notes/a name with spaces and ü.txt', 'empty.txt'] });
assert.equal(await hub.fileExists({ ...common, repo, path: 'empty.txt' }), false);
const late = { operation: 'addOrUpdate', path: 'late.txt', content: new Blob(['late']) };
const stale = { ...common, repo, title: 'late', operations: [late], parentCommit: first.commit.oid };
await assert.rejects(hub.commit(stale), { statusCode: 412 });

// A repository that is created with files
const filled = `${name}-filled`;
const given = { path: 'a.txt', content: new Blob(['hi']) };
await hub.createRepo({ ...common, repo: filled, license: 'mit', files: [given] });
const kept = await hub.downloadFile({ ...common, repo: filled, path: 'a.txt' });
assert.equal(await kept.text(), 'hi');
if (hub.modelInfo !== undefined) {
  const info = await hub.modelInfo({ ...common, name: filled, additionalFields: ['cardData'] });
  assert.equal(info.cardData.license, 'mit');
}
await hub.deleteRepo({ ...common, repo: filled });

// Data sets
const rows = { type: 'dataset', name: `${name}-rows` };
await hub.createRepo({ ...common, repo: rows });
await hub.uploadFile({ ...common, repo: rows, file: { path: 'data/rows.csv', content: new Blob(['1,2\n']) } });
const csv = await hub.downloadFile({ ...common, repo: rows, path: 'data/rows.csv' });
assert.equal(await csv.text(), '1,2\n');
for (const each of [rows, repo]) await hub.deleteRepo({ ...common, repo: each });
await assert.rejects(hub.checkRepoAccess({ ...common, repo }), { statusCode: 404 });
