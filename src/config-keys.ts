import { z } from 'zod';
import { evaluateOnChoices } from './evaluate/device/device-report.ts';

const postgresUrl = /^postgres(ql)?:\/\/\S+$/;
const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((value) => value === 'true');
const integer = (fallback: number, min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error }).default(fallback);
};

/**
 * Every key a process reads, with its unit, range and default. Keys are environment variables; nothing else reads the
 * environment. docs/operations.md has them as a table (`npm run configuration`).
 */
export const configSchema = z.object({
  FIRN_HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  FIRN_ACCESS: z
    .enum(['tokens', 'open'])
    .default('tokens')
    .describe(
      '`tokens`: who sends no token reads what is public; the first start prints one that allows everything. ' +
        '`open`: everybody may do everything, on a loopback FIRN_HOST only.',
    ),
  FIRN_TOKEN_REQUESTS_PER_MINUTE: integer(60_000, 1, 10 ** 7).describe(
    'Requests a minute with one token, to one gateway process.',
  ),
  FIRN_ANONYMOUS_REQUESTS_PER_MINUTE: integer(1200, 1, 10 ** 7).describe(
    'Requests a minute from one address without a token, to one gateway process.',
  ),
  FIRN_CLIENT_CONCURRENCY: integer(512, 1, 65536).describe(
    'Requests in work at once with one token, or from one address without one, at one gateway process.',
  ),
  FIRN_TRUST_PROXY: z
    .enum(['on', 'off'])
    .default('off')
    .describe("Whether the last address of X-Forwarded-For is the client's: `on` only behind a proxy that sets it."),
  FIRN_PORT: integer(8080, 0, 65535).describe('Port to listen on; 0 picks a free one.'),
  FIRN_DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .describe('Metadata, objects (unless they are in a bucket) and scratch files live under this directory.'),
  FIRN_WORK_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Scratch files and local copies of eval sets; `work` in the data directory when absent. Local to the ' +
        'machine, best on a fast disk.',
    ),
  FIRN_DATABASE_URL: z
    .string()
    .regex(postgresUrl, 'must begin with postgres:// or postgresql://')
    .optional()
    .describe('`postgres://user:password@host:port/database`. Without it the catalog is embedded in the one process.'),
  FIRN_DATABASE_CONNECTIONS: integer(10, 1, 1000).describe(
    'Connections of this process to the database at once; one more listens for notices.',
  ),
  FIRN_DATABASE_CONNECT_S: integer(10, 1, 600).describe('Seconds to wait for the database, or for a free connection.'),
  FIRN_DATABASE_STATEMENT_S: integer(30, 1, 3600).describe('Seconds one statement may take.'),
  FIRN_MIGRATE: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether a process that starts brings the database to its version; off: `firn migrate` does, and ' +
        'others refuse to start before.',
    ),
  FIRN_S3_BUCKET: z
    .string()
    .min(3)
    .max(63)
    .optional()
    .describe(
      'Bucket for the objects, which then are not under the data directory; it exists. Nothing but one hub ' +
        'writes below its prefix.',
    ),
  FIRN_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("URL of the S3 server; Amazon's of the region when absent."),
  FIRN_S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
  FIRN_S3_PREFIX: z
    .string()
    .max(256)
    .regex(/^(none|([A-Za-z0-9][A-Za-z0-9._-]*\/)+)$/)
    .default('firn/')
    .describe(
      'Begins the name of every object: parts of letters, digits, ".", "_" and "-", each followed by "/". ' +
        '`none` for no prefix.',
    ),
  FIRN_S3_FORCE_PATH_STYLE: flag('false').describe(
    "Whether the bucket is named in the path and not in the host name: what most servers but Amazon's need.",
  ),
  FIRN_S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Both or none; without them the SDK's chain: AWS_* variables, shared files, the machine's or the pod's role.",
    ),
  FIRN_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('See FIRN_S3_ACCESS_KEY_ID.'),
  FIRN_S3_PART_MIB: integer(8, 5, 5 * 1024).describe(
    'MiB of one part of a large object; the largest object is 10000 parts.',
  ),
  FIRN_S3_PARALLEL_PARTS: integer(4, 1, 256).describe(
    'Parts on their way at once, over all uploads; each upload holds one more in memory.',
  ),
  FIRN_S3_CONNECTIONS: integer(64, 1, 4096).describe('Connections to the S3 server at once.'),
  FIRN_S3_IDLE_TIMEOUT_S: integer(20, 1, 3600).describe(
    'Seconds without a byte after which a connection to the S3 server is given up.',
  ),
  FIRN_S3_REQUEST_TIMEOUT_S: integer(120, 1, 3600).describe(
    'Seconds one try of one request to the S3 server may take.',
  ),
  FIRN_S3_CHECKSUMS: z
    .enum(['when_required', 'when_supported'])
    .default('when_required')
    .describe('When the SDK adds checksums of its own, which not every server takes. Firn checks its own either way.'),
  FIRN_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severity of a log line that is written.'),
  FIRN_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://collector:4318`; traces ' +
        'go to `/v1/traces` below it. Nothing is traced without it.',
    ),
  FIRN_TRACE_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces that are recorded, from 0 to 1.'),
  FIRN_NATIVE_THREADS: integer(0, 0, 256).describe(
    'Threads of the native pool; 0 means one less than the cores, at least one.',
  ),
  FIRN_DEVICE: z
    .string()
    .regex(/^(?:auto|cpu|emulated|cuda(?::\d{1,4})?)$/, 'must be auto, cpu, cuda, cuda:<number> or emulated')
    .default('cpu')
    .describe(
      'Where a worker does the work of the methods `residual` and `inshrinkerator` and of exact blocks: `cpu`, or a ' +
        'GPU: `cuda`, or `cuda:1` for the second; `auto`: the first GPU if there is one. Stored bytes are the same. ' +
        'The hub has not been run with a GPU yet. ' +
        '`emulated`: the processor in the place of a GPU, for tests.',
    ),
  FIRN_DEVICE_MEMORY_MIB: integer(0, 0, 1024 * 1024).describe(
    'MiB of the memory of that device that this process may use; 0 means half of what is free when it starts.',
  ),
  FIRN_NATIVE_QUEUE_MAX: integer(1024, 1, 65536).describe('Native jobs waiting before callers are refused.'),
  FIRN_ENCODE_CONCURRENCY: integer(1, 1, 64).describe('Checkpoints encoded at once, of different runs.'),
  FIRN_EVALUATE_ON: z
    .enum(evaluateOnChoices)
    .default('auto')
    .describe(
      'What a worker evaluates on. `auto`: a GPU, if the CUDA provider of onnxruntime is installed and starts, else ' +
        'the processor. `cpu`: the processor. `cuda`: a GPU; a worker without one does not start.',
    ),
  FIRN_DEVICE_WAIT_S: integer(300, 0, 604_800).describe(
    'Seconds that a checkpoint which prefers a GPU waits for a worker with one, while one lives, before workers ' +
      'without take it; and that one which wants none stays behind those that do at a worker with a GPU.',
  ),
  FIRN_EVAL_PARALLEL: integer(0, 0, 64).describe(
    'Trials evaluated at once: the group size m of the search. The outcome does not depend on it. 0 means ' +
      'one less than the cores, at least one, and one on a GPU.',
  ),
  FIRN_EVAL_DEADLINE_S: integer(600, 1, 86400).describe('Seconds one evaluation may take.'),
  FIRN_EVAL_MEMORY_MIB: integer(4096, 64, 1024 * 1024).describe(
    'MiB of private memory one evaluation child may use; also the largest model that a gateway checks an ' +
      'eval set with on request.',
  ),
  FIRN_ENCODE_CACHE_MIB: integer(64, 0, 65536).describe('MiB of uploaded blocks kept in memory during an encode.'),
  FIRN_TRIAL_MEMORY_MIB: integer(4096, 0, 1024 * 1024).describe(
    'MiB of memory for the model files that trials evaluate, in `/dev/shm` where that and the memory have at least ' +
      'twice the room; other models are written to FIRN_WORK_DIR. 0: all are.',
  ),
  FIRN_RESTORE_CACHE_MIB: integer(64, 1, 65536).describe(
    'MiB of decoded ancestor blocks kept for restores and deltas.',
  ),
  FIRN_DECODED_CACHE_MIB: integer(8192, 0, 16 * 1024 * 1024).describe(
    'MiB of rebuilt files that a gateway keeps decoded below FIRN_WORK_DIR, so that the next download only reads ' +
      'them; a GiB of the disk stays free. 0: every download is rebuilt.',
  ),
  FIRN_CHAIN_LENGTH_MAX: integer(32, 1, 1024).describe('Packages a restore may have to read, the base included.'),
  FIRN_MERGE: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether several old deltas in a row are merged into one package, which takes less room and restores ' +
        'faster; stored ones stay readable either way.',
    ),
  FIRN_SCRUB_MIB_PER_S: integer(16, 0, 1024 * 1024).describe(
    'MiB that are read a second, at most, to look for damaged objects in the background; 0: nobody looks.',
  ),
  FIRN_SCRUB_DAYS: integer(7, 1, 3650).describe(
    'Days from the beginning of one pass over all objects to that of the next.',
  ),
  FIRN_GC_GRACE_H: integer(24, 1, 8760).describe(
    'Hours that an object stays after nothing names it any more: longer than any upload, download or copy ' +
      'for a backup takes. Until then usage counts its bytes as pending deletion, and what hub clients pushed to ' +
      'a lossy repository can be downloaded.',
  ),
  FIRN_FILE_MAX_MIB: integer(64 * 1024, 1, 16 * 1024 * 1024).describe('Largest single file, in MiB.'),
  FIRN_STAGED_RUN_MAX_MIB: integer(64 * 1024, 1, 64 * 1024 * 1024).describe(
    'Staged bytes of one run that are not yet encoded, in MiB; beyond it uploads are refused with Retry-After.',
  ),
  FIRN_STAGED_TOTAL_MAX_MIB: integer(256 * 1024, 1, 64 * 1024 * 1024).describe('The same over all runs.'),
  FIRN_UPLOAD_BYTES_PER_S_MIN: integer(1024, 0, 2 ** 30).describe(
    'Bytes a second that the body of a request has to bring, over a minute of waiting for it; a slower one ' +
      'is answered with 408 and loses nothing that was acknowledged. 0: as slowly as it likes.',
  ),
  FIRN_RESERVATION_TTL_S: integer(3600, 1, 30 * 86400).describe(
    'Seconds a reservation may stand without a byte before it is given up.',
  ),
  FIRN_UPLOAD_TTL_S: integer(24 * 3600, 1, 30 * 86400).describe(
    'Seconds after its last byte that an upload in several requests is given up.',
  ),
  FIRN_WEBHOOKS_PRIVATE: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether webhooks may lead to private networks and this machine, and use http: whoever holds admin on a ' +
        'namespace can then make this hub send requests there.',
    ),
  FIRN_LEASE_S: integer(60, 1, 3600).describe("Seconds a job's lease lasts without a heartbeat."),
  FIRN_READY_WORKERS: integer(0, 0, 10_000).describe(
    'Living workers without which a gateway says that it is not ready. 0: it goes on taking uploads and ' +
      'serving downloads, and says `degraded` while there is none.',
  ),
  FIRN_UNREADY_S: integer(0, 0, 600).describe(
    'Seconds on SIGTERM in which the process says that it is not ready but still answers, so that a balancer ' +
      'sends nobody any more.',
  ),
  FIRN_DRAIN_S: integer(20, 0, 600).describe('Seconds given to open requests and running jobs on SIGTERM.'),
});

/** What the keys of an environment say, with defaults; not yet checked against each other. */
export type ConfigKeys = z.infer<typeof configSchema>;
