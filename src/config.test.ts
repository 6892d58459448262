import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configurationList, withConfigurationList } from '../scripts/configuration-list.ts';
import { readConfig } from './config.ts';

describe('readConfig', () => {
  it('needs no key: loopback, port 8080, ./data', () => {
    expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8080, dataDirectory: './data' });
  });

  it('names every bad key at once, and unknown ones', () => {
    expect(() => readConfig({ FIRN_PORT: '70000', FIRN_LEASE_S: 'x', FIRN_TYPO: '1' })).toThrowError(
      /FIRN_TYPO|FIRN_PORT/,
    );
    const message = failure({ FIRN_PORT: '70000', FIRN_LEASE_S: 'x', FIRN_TYPO: '1' });
    expect(message).toContain('FIRN_PORT');
    expect(message).toContain('FIRN_LEASE_S');
    expect(message).toContain('FIRN_TYPO');
  });

  it.each([
    ['FIRN_PROT', 'FIRN_PROT is not a key of the configuration (FIRN_PORT is)'],
    ['FIRN_DATADIR', 'FIRN_DATADIR is not a key of the configuration (FIRN_DATA_DIR is)'],
    ['FIRN_UTTERLY_OTHER', 'FIRN_UTTERLY_OTHER is not a key of the configuration'],
  ])('says what %s may have meant, if it is near a key', (name, message) => {
    expect(failure({ [name]: '1' })).toBe(`configuration: ${message}; docs/operations.md lists them all`);
  });

  it.each([
    [{ FIRN_PORT: 'abc' }, 'FIRN_PORT: must be a whole number from 0 to 65535, not "abc"'],
    [{ FIRN_LEASE_S: '0.5' }, 'FIRN_LEASE_S: must be a whole number from 1 to 3600, not "0.5"'],
    [{ FIRN_ACCESS: 'off' }, 'FIRN_ACCESS: must be tokens or open'],
  ])('says of %j which values there are', (given, message) => {
    expect(failure(given)).toBe(`configuration: ${message}`);
  });

  it('leaves alone what a shell has for clients and benches', () => {
    expect(failure({ FIRN_TOKEN: 'hf_x', FIRN_CACHE: '/c', FIRN_CORE: 'numpy', FIRN_PYTHON: 'python3' })).toBe('');
  });

  it('ignores other variables, those of the tests, and empty values', () => {
    expect(readConfig({ HOME: '/x', FIRN_PORT: '', FIRN_TEST_S3_ENDPOINT: 'http://127.0.0.1:7480' }).port).toBe(8080);
  });

  it('evaluates on a GPU where there is one, with what CUDA needs of the environment and nothing else', () => {
    expect(readConfig({})).toMatchObject({ evaluateOn: 'auto', cudaEnvironment: {}, deviceWaitMs: 300_000 });
    const shell = { HOME: '/x', FIRN_S3_BUCKET: 'bucket', CUDA_VISIBLE_DEVICES: '1', LD_LIBRARY_PATH: '/cuda/lib64' };
    expect(readConfig({ ...shell, FIRN_EVALUATE_ON: 'cuda', FIRN_DEVICE_WAIT_S: '0' })).toMatchObject({
      evaluateOn: 'cuda',
      cudaEnvironment: { CUDA_VISIBLE_DEVICES: '1', LD_LIBRARY_PATH: '/cuda/lib64' },
      deviceWaitMs: 0,
    });
    expect(Object.keys(readConfig(shell).cudaEnvironment)).toHaveLength(2);
    expect(failure({ FIRN_EVALUATE_ON: 'gpu' })).toBe('configuration: FIRN_EVALUATE_ON: must be auto or cpu or cuda');
  });

  it('merges unless it is told not to', () => {
    expect([{}, { FIRN_MERGE: 'on' }, { FIRN_MERGE: 'off' }].map((given) => readConfig(given).mergeDeltas)).toEqual([
      true,
      true,
      false,
    ]);
    expect(failure({ FIRN_MERGE: 'no' })).toContain('FIRN_MERGE');
  });

  it('looks for damaged objects at a modest pace once a week, and not at all where the pace is 0', () => {
    expect(readConfig({})).toMatchObject({ scrubBytesPerSecond: 16 << 20, scrubEveryMs: 7 * 86_400_000 });
    expect(readConfig({ FIRN_SCRUB_MIB_PER_S: '0', FIRN_SCRUB_DAYS: '1' })).toMatchObject({
      scrubBytesPerSecond: 0,
      scrubEveryMs: 86_400_000,
    });
    expect(failure({ FIRN_SCRUB_DAYS: '0' })).toContain('FIRN_SCRUB_DAYS');
  });

  it('asks for tokens unless told otherwise, and without them listens on loopback only', () => {
    expect(readConfig({}).access).toBe('tokens');
    expect(readConfig({ FIRN_ACCESS: 'open', FIRN_HOST: 'localhost' }).access).toBe('open');
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org'])
      expect(failure({ FIRN_ACCESS: 'open', FIRN_HOST: host })).toContain('FIRN_HOST');
  });

  it('has an embedded catalog unless a database is named, whose URL no message repeats', () => {
    expect(readConfig({ FIRN_DATA_DIR: '/d' })).toMatchObject({ database: undefined, workDirectory: '/d/work' });
    const url = 'postgres://firn:hush@db/firn';
    expect(readConfig({ FIRN_DATABASE_URL: url, FIRN_MIGRATE: 'off', FIRN_WORK_DIR: '/w' })).toMatchObject({
      workDirectory: '/w',
      database: { url, connectionsMax: 10, connectMs: 10_000, statementMs: 30_000, migrate: false },
    });
    const message = failure({ FIRN_DATABASE_URL: 'mysql://firn:hush@db' });
    expect(message).toContain('FIRN_DATABASE_URL');
    expect(message).not.toContain('hush');
  });

  it('keeps objects in files unless there is a bucket', () => {
    expect(readConfig({}).s3).toBeUndefined();
    expect(readConfig({ FIRN_S3_BUCKET: 'models' }).s3).toMatchObject({
      bucket: 'models',
      prefix: 'firn/',
      endpoint: undefined,
      credentials: undefined,
    });
    expect(
      readConfig({
        FIRN_S3_BUCKET: 'models',
        FIRN_S3_ENDPOINT: 'http://127.0.0.1:7480',
        FIRN_S3_PREFIX: 'none',
        FIRN_S3_FORCE_PATH_STYLE: 'true',
        FIRN_S3_ACCESS_KEY_ID: 'id',
        FIRN_S3_SECRET_ACCESS_KEY: 'secret',
        FIRN_S3_PART_MIB: '16',
      }).s3,
    ).toMatchObject({
      prefix: '',
      forcePathStyle: true,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      partBytes: 16 << 20,
    });
  });

  it.each([
    [{ FIRN_S3_ENDPOINT: 'http://127.0.0.1' }, 'FIRN_S3_BUCKET'],
    [{ FIRN_S3_BUCKET: 'models', FIRN_S3_ENDPOINT: 'nowhere' }, 'FIRN_S3_ENDPOINT'],
    [{ FIRN_S3_BUCKET: 'models', FIRN_S3_PREFIX: 'no-slash' }, 'FIRN_S3_PREFIX'],
    [{ FIRN_S3_BUCKET: 'models', FIRN_S3_ACCESS_KEY_ID: 'id' }, 'FIRN_S3_SECRET_ACCESS_KEY'],
    [{ FIRN_S3_BUCKET: 'models', FIRN_FILE_MAX_MIB: '100000' }, 'FIRN_S3_PART_MIB'],
  ])('refuses %j and names %s', (environment, key) => {
    expect(failure(environment)).toContain(key);
  });

  it('is documented key by key: run `npm run configuration` after changing one', async () => {
    const document = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    expect(await withConfigurationList(document)).toBe(document);
    expect(configurationList().match(/: *$/gm)).toBeNull();
  });

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });
});

function failure(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
