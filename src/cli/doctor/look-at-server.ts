import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import postgres from 'postgres';
import { readConfig, type Config } from '../../config.ts';
import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';
import { lookAt, type Finding } from './finding.ts';

/** Less free room than this, in bytes, is soon too little for uploads on their way. */
const freeBytesMin = 5 * 2 ** 30;
/** Longest wait for a database or a bucket, in ms. */
const answerMs = 10_000;

/** What a server started here, with these variables, would stand on. */
export async function lookAtServer(env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  let config: Config | undefined;
  const configuration = await lookAt(
    'configuration',
    () => {
      config = readConfig(env);
      const given = Object.keys(env).filter((key) => key.startsWith('FIRN_')).length;
      return { state: 'ok', found: given === 0 ? 'all defaults' : `${given} FIRN_ variables` };
    },
    'docs/operations.md lists the variables',
  );
  if (config === undefined) return [configuration];
  const { database, s3, dataDirectory } = config;
  return [
    configuration,
    await lookAt('free disk', () => diskFinding(dataDirectory), 'name another folder in FIRN_DATA_DIR'),
    database === undefined
      ? { what: 'Postgres', state: 'absent', found: 'not configured: the catalog is embedded' }
      : await lookAt('Postgres', () => databaseFinding(database.url), 'check FIRN_DATABASE_URL, and that it listens'),
    s3 === undefined
      ? { what: 'bucket', state: 'absent', found: 'not configured: objects are files' }
      : await lookAt('bucket', () => bucketFinding(s3), 'check FIRN_S3_BUCKET, FIRN_S3_ENDPOINT and the keys'),
  ];
}

async function diskFinding(directory: string): Promise<Omit<Finding, 'what'>> {
  let folder = resolve(directory);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const found = `${bytesInWords(free)} free for ${resolve(directory)}`;
  return free >= freeBytesMin
    ? { state: 'ok', found }
    : { state: 'bad', found, advice: `make room: a server wants at least ${bytesInWords(freeBytesMin)}` };
}

async function databaseFinding(url: string): Promise<Omit<Finding, 'what'>> {
  const sql = postgres(url, { max: 1, connect_timeout: answerMs / 1000, onnotice: () => undefined });
  try {
    const [row] = await sql<{ server_version: string }[]>`show server_version`;
    return { state: 'ok', found: `version ${row!.server_version}` };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function bucketFinding(s3: NonNullable<Config['s3']>): Promise<Omit<Finding, 'what'>> {
  const [{ HeadBucketCommand }, { createS3Client }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('../../store/s3/s3-client.ts'),
  ]);
  const client = createS3Client(s3);
  try {
    await client.send(new HeadBucketCommand({ Bucket: s3.bucket }), { abortSignal: AbortSignal.timeout(answerMs) });
    return { state: 'ok', found: s3.bucket };
  } finally {
    client.destroy();
  }
}
