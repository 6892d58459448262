import { join } from 'node:path';
import type { z } from 'zod';
import { nearestName } from './checkpoint/words/nearest-name.ts';
import { quoteName } from './checkpoint/words/quote-name.ts';
import { configSchema, type ConfigKeys } from './config-keys.ts';
import { cudaVariables } from './evaluate/child/child-command.ts';
import type { EvaluateOn } from './evaluate/device/device-report.ts';
import type { DeviceChoice } from './native/core/device.ts';
import { s3Limits } from './store/s3/s3-limits.ts';

const mib = 1024 * 1024;

export interface DatabaseConfig {
  readonly url: string;
  readonly connectionsMax: number;
  readonly connectMs: number;
  readonly statementMs: number;
  readonly migrate: boolean;
}

/** Destination of spans. */
export interface OtlpConfig {
  readonly endpoint: string;
  /** In [0, 1]. */
  readonly traceRatio: number;
}

/** Device of a worker. */
export interface DeviceConfig {
  readonly choice: DeviceChoice;
  /** Whether it is worth a warning that there is none. */
  readonly isExpected: boolean;
}

/** Place of objects that are not under the data directory. */
export interface S3Config {
  readonly bucket: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly prefix: string;
  readonly forcePathStyle: boolean;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly partBytes: number;
  readonly parallelParts: number;
  readonly socketsMax: number;
  readonly idleMs: number;
  readonly tryMs: number;
  readonly checksums: 'WHEN_REQUIRED' | 'WHEN_SUPPORTED';
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly access: 'tokens' | 'open';
  readonly tokenPerMinute: number;
  readonly anonymousPerMinute: number;
  readonly clientConcurrency: number;
  readonly trustProxy: boolean;
  readonly dataDirectory: string;
  readonly workDirectory: string;
  /** Undefined: the catalog is embedded. */
  readonly database: DatabaseConfig | undefined;
  /** Undefined: objects are files under the data directory. */
  readonly s3: S3Config | undefined;
  readonly logLevel: ConfigKeys['FIRN_LOG_LEVEL'];
  readonly nativeThreads: number | undefined;
  readonly nativeQueueMax: number;
  /** Undefined: the processor does all work. */
  readonly device: DeviceConfig | undefined;
  readonly encodeConcurrency: number;
  readonly evaluateOn: EvaluateOn;
  /** Variables of the environment that evaluations with CUDA need. */
  readonly cudaEnvironment: Readonly<Record<string, string>>;
  readonly deviceWaitMs: number;
  readonly evalParallel: number | undefined;
  readonly evalDeadlineMs: number;
  readonly evalMemoryMaxBytes: number;
  readonly encodeCacheMaxBytes: number;
  /** 0: models to evaluate are written to disk. */
  readonly trialMemoryMaxBytes: number;
  readonly restoreCacheMaxBytes: number;
  /** 0: rebuilt files are not kept. */
  readonly decodedCacheMaxBytes: number;
  readonly chainLengthMax: number;
  readonly mergeDeltas: boolean;
  /** 0: no background scrubbing. */
  readonly scrubBytesPerSecond: number;
  readonly scrubEveryMs: number;
  readonly gcGraceMs: number;
  readonly fileMaxBytes: number;
  readonly stagedRunMaxBytes: number;
  readonly stagedTotalMaxBytes: number;
  /** 0: no lower limit. */
  readonly uploadBytesPerSecondMin: number;
  readonly reservationTtlMs: number;
  readonly uploadTtlMs: number;
  /** Whether webhooks may lead to addresses that are not public, or over http. */
  readonly webhooksToPrivate: boolean;
  readonly leaseMs: number;
  readonly readyWorkers: number;
  readonly otlp: OtlpConfig | undefined;
  readonly unreadyMs: number;
  readonly drainMs: number;
}

/** Reads a frozen Config. Throws one Error that names every bad or unknown FIRN_ key at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([key, value]) => isKey(key) && value !== undefined && value !== ''),
  );
  const parsed = configSchema.strict().safeParse(given);
  if (!parsed.success)
    throw new Error(`configuration: ${parsed.error.issues.map((issue) => describeIssue(issue, given)).join('; ')}`);
  const env = parsed.data;
  if (env.FIRN_ACCESS === 'open' && !isLoopback(env.FIRN_HOST))
    throw new Error(
      'configuration: FIRN_ACCESS=open lets everybody do everything, so FIRN_HOST must be 127.0.0.1, ::1 or localhost',
    );
  return Object.freeze({
    host: env.FIRN_HOST,
    port: env.FIRN_PORT,
    access: env.FIRN_ACCESS,
    tokenPerMinute: env.FIRN_TOKEN_REQUESTS_PER_MINUTE,
    anonymousPerMinute: env.FIRN_ANONYMOUS_REQUESTS_PER_MINUTE,
    clientConcurrency: env.FIRN_CLIENT_CONCURRENCY,
    trustProxy: env.FIRN_TRUST_PROXY === 'on',
    dataDirectory: env.FIRN_DATA_DIR,
    workDirectory: env.FIRN_WORK_DIR ?? join(env.FIRN_DATA_DIR, 'work'),
    database: databaseOf(env),
    s3: s3Config(env),
    logLevel: env.FIRN_LOG_LEVEL,
    nativeThreads: env.FIRN_NATIVE_THREADS === 0 ? undefined : env.FIRN_NATIVE_THREADS,
    nativeQueueMax: env.FIRN_NATIVE_QUEUE_MAX,
    device: deviceOf(env),
    encodeConcurrency: env.FIRN_ENCODE_CONCURRENCY,
    evaluateOn: env.FIRN_EVALUATE_ON,
    cudaEnvironment: cudaEnvironmentOf(environment),
    deviceWaitMs: env.FIRN_DEVICE_WAIT_S * 1000,
    evalParallel: env.FIRN_EVAL_PARALLEL === 0 ? undefined : env.FIRN_EVAL_PARALLEL,
    evalDeadlineMs: env.FIRN_EVAL_DEADLINE_S * 1000,
    evalMemoryMaxBytes: env.FIRN_EVAL_MEMORY_MIB * mib,
    encodeCacheMaxBytes: env.FIRN_ENCODE_CACHE_MIB * mib,
    trialMemoryMaxBytes: env.FIRN_TRIAL_MEMORY_MIB * mib,
    restoreCacheMaxBytes: env.FIRN_RESTORE_CACHE_MIB * mib,
    decodedCacheMaxBytes: env.FIRN_DECODED_CACHE_MIB * mib,
    chainLengthMax: env.FIRN_CHAIN_LENGTH_MAX,
    mergeDeltas: env.FIRN_MERGE === 'on',
    scrubBytesPerSecond: env.FIRN_SCRUB_MIB_PER_S * mib,
    scrubEveryMs: env.FIRN_SCRUB_DAYS * 24 * 3600 * 1000,
    gcGraceMs: env.FIRN_GC_GRACE_H * 3600 * 1000,
    fileMaxBytes: env.FIRN_FILE_MAX_MIB * mib,
    stagedRunMaxBytes: env.FIRN_STAGED_RUN_MAX_MIB * mib,
    stagedTotalMaxBytes: env.FIRN_STAGED_TOTAL_MAX_MIB * mib,
    uploadBytesPerSecondMin: env.FIRN_UPLOAD_BYTES_PER_S_MIN,
    reservationTtlMs: env.FIRN_RESERVATION_TTL_S * 1000,
    uploadTtlMs: env.FIRN_UPLOAD_TTL_S * 1000,
    webhooksToPrivate: env.FIRN_WEBHOOKS_PRIVATE === 'on',
    leaseMs: env.FIRN_LEASE_S * 1000,
    readyWorkers: env.FIRN_READY_WORKERS,
    otlp:
      env.FIRN_OTLP_ENDPOINT === undefined
        ? undefined
        : Object.freeze({ endpoint: env.FIRN_OTLP_ENDPOINT, traceRatio: env.FIRN_TRACE_RATIO }),
    unreadyMs: env.FIRN_UNREADY_S * 1000,
    drainMs: env.FIRN_DRAIN_S * 1000,
  });
}

function cudaEnvironmentOf(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.freeze(
    Object.fromEntries(
      cudaVariables.flatMap((name) => {
        const text = environment[name];
        return text === undefined ? [] : [[name, text]];
      }),
    ),
  );
}

function deviceOf({ FIRN_DEVICE: wanted, FIRN_DEVICE_MEMORY_MIB: memoryMib }: ConfigKeys): DeviceConfig | undefined {
  if (wanted === 'cpu') return undefined;
  const budget = memoryMib > 0 ? { budgetBytes: memoryMib * mib } : {};
  const choice: DeviceChoice =
    wanted === 'emulated'
      ? { kind: 'emulated', ...budget }
      : { kind: 'cuda', index: Number(wanted.split(':')[1] ?? 0), ...budget };
  return Object.freeze({ choice, isExpected: wanted !== 'auto' });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Undefined without a bucket. Throws if keys contradict each other. */
function s3Config(env: ConfigKeys): S3Config | undefined {
  const {
    FIRN_S3_BUCKET: bucket,
    FIRN_S3_ACCESS_KEY_ID: accessKeyId,
    FIRN_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = env;
  if (bucket === undefined) {
    if (env.FIRN_S3_ENDPOINT !== undefined) throw new Error('configuration: FIRN_S3_ENDPOINT without FIRN_S3_BUCKET');
    return undefined;
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('configuration: FIRN_S3_ACCESS_KEY_ID and FIRN_S3_SECRET_ACCESS_KEY go together');
  const fileMaxMib = env.FIRN_S3_PART_MIB * s3Limits.partsMax;
  if (env.FIRN_FILE_MAX_MIB > fileMaxMib)
    throw new Error(
      `configuration: FIRN_FILE_MAX_MIB is more than FIRN_S3_PART_MIB allows, ${s3Limits.partsMax} parts: ` +
        `${fileMaxMib}`,
    );
  return Object.freeze({
    bucket,
    endpoint: env.FIRN_S3_ENDPOINT,
    region: env.FIRN_S3_REGION,
    prefix: env.FIRN_S3_PREFIX === 'none' ? '' : env.FIRN_S3_PREFIX,
    forcePathStyle: env.FIRN_S3_FORCE_PATH_STYLE,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
    partBytes: env.FIRN_S3_PART_MIB * mib,
    parallelParts: env.FIRN_S3_PARALLEL_PARTS,
    socketsMax: env.FIRN_S3_CONNECTIONS,
    idleMs: env.FIRN_S3_IDLE_TIMEOUT_S * 1000,
    tryMs: env.FIRN_S3_REQUEST_TIMEOUT_S * 1000,
    checksums: env.FIRN_S3_CHECKSUMS === 'when_required' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED',
  });
}

/** Variables of clients, benches and tests (of these the URL of a server), which may be in the same shell. */
const ofOthers = /^FIRN_(?:TOKEN|URL|ENDPOINT|CACHE|CORE|PYTHON|TEST_.*)$/;

function isKey(name: string): boolean {
  return name.startsWith('FIRN_') && !ofOthers.test(name);
}

function databaseOf(env: ConfigKeys): DatabaseConfig | undefined {
  if (env.FIRN_DATABASE_URL === undefined) return undefined;
  return Object.freeze({
    url: env.FIRN_DATABASE_URL,
    connectionsMax: env.FIRN_DATABASE_CONNECTIONS,
    connectMs: env.FIRN_DATABASE_CONNECT_S * 1000,
    statementMs: env.FIRN_DATABASE_STATEMENT_S * 1000,
    migrate: env.FIRN_MIGRATE === 'on',
  });
}

function describeIssue(issue: z.core.$ZodIssue, given: Readonly<Record<string, string | undefined>>): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.map(describeUnknown).join('; ')}; docs/operations.md lists them all`;
  const name = issue.path.join('.');
  if (issue.code === 'invalid_value') return `${name}: must be ${issue.values.map(String).join(' or ')}`;
  // Only of numbers: other values may be secrets.
  const value = issue.message.startsWith('must be a whole number') ? `, not ${quoteName(given[name] ?? '')}` : '';
  return `${name}: ${issue.message}${value}`;
}

function describeUnknown(name: string): string {
  const meant = nearestName(name, Object.keys(configSchema.shape));
  return `${name} is not a key of the configuration${meant === undefined ? '' : ` (${meant} is)`}`;
}
