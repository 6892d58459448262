/**
 * Flips single bits in the objects of hub clients, one at a time, and reads every file of every commit by the routes of
 * hub clients: npx tsx test/integrity/flip-hub-bits.ts --flips 1000 --seed 1
 *
 * No read may give a wrong byte. Chunks and parts with a flipped bit may not become a file.
 */
import { publishWaiting } from '../../src/hub/commit/publish-compressed.ts';
import { createApp } from '../../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../../src/http/gateway.test-support.ts';
import { caller, type Call } from '../../src/http/http-client.test-support.ts';
import { randomNumbers } from '../acceptance/random-numbers.ts';
import { pick, sha256 } from '../harness/ask.ts';
import { runAsCommand, type Findings } from '../harness/command.ts';
import type { HubActor, SenderOf } from '../harness/hub/hub-actor.ts';
import { hubActors, prepareHub } from '../harness/hub/hub-actors.ts';
import { chunkedFile, noiseFile } from '../harness/hub/hub-file.ts';
import { uploadFile } from '../harness/hub/upload-file.ts';
import { weightsPath } from '../harness/hub/hub-state.ts';
import { flipper } from './flipper.ts';

export interface HubFlipReport extends Findings {
  /** Flips by kind of object: files, packages, a part of a file, and chunks. */
  readonly flipsByKind: Readonly<Record<string, number>>;
  readonly reads: number;
  /** Reads that were refused, and files that did not come about. */
  readonly refused: number;
}

/** A file of a commit. */
interface StoredFile {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
}

/** Flips `flips` bits; every kind of object has its turn. */
export async function flipHubBits({ flips, seed }: { flips: number; seed: number }): Promise<HubFlipReport> {
  const random = randomNumbers(seed);
  // Nothing is kept in memory that a flip would be hidden by.
  const gateway = await openTestGateway({ restoreCacheBytes: 0 });
  try {
    const call = caller(createApp(gateway));
    const files = await storeFiles(gateway, call, seed);
    const uploads = await beginUploads(gateway, call, seed);
    const problems: string[] = [];
    const flipsByKind: Record<string, number> = {};
    const stored = await gateway.catalog.objects.keys({ limit: 1000 });
    const ofKind = (prefix: string): string[] => stored.filter((key) => key.startsWith(prefix));
    const kinds = {
      blobs: ofKind('blobs/').filter((key) => key !== uploads.part.key),
      packages: ofKind('packages/'),
      part: [uploads.part.key],
      xorb: [uploads.xorb.key],
    };
    let reads = 0;
    let refused = 0;
    for (let flip = 0; flip < flips; flip++) {
      const [kind, keys] = Object.entries(kinds)[flip % Object.keys(kinds).length]!;
      const { place, toggle } = await flipper(gateway.directory, pick(random, keys)!, random);
      const label = `seed ${seed}, flip ${flip}, ${place}`;
      await toggle();
      for (const file of files) {
        const outcome = await read(call, file);
        reads += 1;
        refused += Number(outcome === 'refused');
        if (outcome === 'wrong') problems.push(`${label}: ${file.name} ${file.path} came back with other bytes`);
      }
      if (kind === 'part' || kind === 'xorb') {
        if (await uploads[kind].complete(flip)) problems.push(`${label}: a file came about in spite of it`);
        else refused += 1;
      }
      await toggle();
      flipsByKind[kind] = (flipsByKind[kind] ?? 0) + 1;
    }
    for (const kind of ['part', 'xorb'] as const)
      if (!(await uploads[kind].complete(flips))) problems.push(`the ${kind} is not as it was in the end`);
    for (const file of files)
      if ((await read(call, file)) !== 'right') problems.push(`${file.name} ${file.path} is not as it was in the end`);
    return { flipsByKind, reads, refused, problems };
  } finally {
    await gateway.close();
  }
}

/** Lets the hub clients do each of their operations, and publishes what the lossy repository compresses. */
async function storeFiles(gateway: TestGateway, call: Call, seed: number): Promise<StoredFile[]> {
  const actors = hubActors('flips', { seed, withTwoParts: false });
  await prepareHub(actors, senderOf(call));
  for (const actor of actors)
    while (!actor.isRoundDone) {
      await actor.act(senderOf(call));
      await gateway.encode();
      await publishWaiting(gateway.catalog);
    }
  return (await Promise.all(actors.map((actor) => filesOf(call, actor)))).flat();
}

async function filesOf(call: Call, { state, commits, isLossy }: HubActor): Promise<StoredFile[]> {
  if (state === undefined) return [];
  const files = [...commits].flatMap((commit) =>
    [...commit.files]
      // A later commit may have the compressed weights.
      .filter(([path]) => !isLossy || path !== weightsPath || commit.step !== undefined)
      .map(([path, file]) => ({ name: `${state.name}/resolve/${commit.id}`, path, sha256: file.sha256 })),
  );
  if (!isLossy) return files;
  const name = `${state.name}/resolve/main`;
  const { status, bytes } = await call('GET', `/${name}/${weightsPath}`);
  const pushed = files.some((file) => file.sha256 === sha256(bytes));
  if (status !== 200 || pushed) throw new Error(`no compressed form is published: ${status}`);
  return [...files, { name, path: weightsPath, sha256: sha256(bytes) }];
}

/** Uploads that are not complete, with the object of each. */
interface BegunUpload {
  readonly key: string;
  /** Whether the hub makes a file of it. */
  complete(flip: number): Promise<boolean>;
}

/** A file whose only part was sent and not yet completed, and a chunk that files of later shards name. */
async function beginUploads({ catalog }: TestGateway, call: Call, seed: number) {
  const repository = 'flips/unfinished';
  const send = senderOf(call)(false);
  await send('POST', '/api/repos/create', { organization: 'flips', name: 'unfinished' });
  const { id } = (await catalog.repositories.find('flips', 'unfinished'))!;
  const kept = new Set<string>();
  const file = noiseFile(seed);
  const uncompleted: typeof send = async (method, path, body) =>
    method === 'POST' && path.startsWith('/hub/lfs/') ? Buffer.alloc(0) : send(method, path, body);
  await uploadFile({ send: uncompleted, kept }, repository, { file, way: 'parts' });
  kept.delete(`blob ${file.sha256}`);
  const chunks = (number: number) => ({ file: chunkedFile(seed + number), way: 'xet' as const });
  await uploadFile({ send, kept }, repository, chunks(0));
  // The chunk that all such files share is sent first.
  const xorb = [...kept].find((name) => name.startsWith('xorb '))!;
  const isTaken = (uploading: Promise<void>): Promise<boolean> =>
    uploading.then(
      () => true,
      () => false,
    );
  const part: BegunUpload = {
    key: (await catalog.hub.parts.list(id, file.sha256))[0]!.key,
    complete: () => isTaken(uploadFile({ send, kept }, repository, { file, way: 'parts' })),
  };
  const chunk: BegunUpload = {
    key: (await catalog.hub.xorbs.find(id, [xorb.slice(xorb.lastIndexOf('/') + 1)]))[0]!.key,
    complete: (flip) => isTaken(uploadFile({ send, kept }, repository, chunks(flip + 1))),
  };
  return { part, xorb: chunk };
}

const senderOf =
  (call: Call): SenderOf =>
  () =>
  async (method, path, body) => {
    const sent = body instanceof Uint8Array ? Buffer.from(body) : body;
    const { status, bytes } = await call(method, path, sent);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${bytes.toString()}`);
    return bytes;
  };

async function read(call: Call, file: StoredFile): Promise<'right' | 'wrong' | 'refused'> {
  try {
    const { status, bytes } = await call('GET', `/${file.name}/${file.path}`);
    if (status !== 200) return 'refused';
    return sha256(bytes) === file.sha256 ? 'right' : 'wrong';
  } catch {
    // The stream broke off.
    return 'refused';
  }
}

await runAsCommand(import.meta.url, { flips: '1000', seed: '1' }, ({ flips, seed }) =>
  flipHubBits({ flips: Number(flips), seed: Number(seed) }),
);
