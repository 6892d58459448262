import fc from 'fast-check';
import { tokenAccess } from '../../src/access/access.ts';
import { createToken } from '../../src/access/create-token.ts';
import { operator } from '../../src/access/principal.ts';
import { RequestLimits } from '../../src/access/request-limits.ts';
import { parseGrant } from '../../src/checkpoint/grant.ts';
import { createApp } from '../../src/http/app.ts';
import { openTestGateway, type TestGateway } from '../../src/http/gateway.test-support.ts';
import { markEncodeEnded } from '../../src/compress/encode-job.ts';
import { FirnError } from '../../src/checkpoint/firn-error.ts';
import { encodeJobKind } from '../../src/ingest/ingest-context.ts';
import { openApiText } from '../../src/http/openapi-text.ts';
import type { OpenApi } from '../api-changes/openapi-types.ts';
import { apiRules, type ApiRules, type SeenAnswer } from './answer-rules.ts';
import { buildRequest, type BuiltRequest } from './build-request.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { plannedRequests, type PlannedRequest } from './planned-request.ts';
import { prepareWorld, preparations, type Preparation, type PreparedHub } from './prepare-world.ts';
import { requestFaults } from './request-faults.ts';

/** How long a stream of events is read, in ms; it may never end. */
const eventsReadMs = 30;
/** Requests of one sequence. */
const sequenceLengthMax = 40;

export interface FuzzOptions {
  /** How many sequences are played with one seed. */
  readonly sequences: number;
  readonly seed: number;
  /** With further seeds until this time is over; 0 by default. */
  readonly minimumMs?: number;
}

export interface FuzzReport {
  /** Sequences by what is wrong with their last answer. */
  readonly failures: ReadonlyMap<string, string>;
  readonly requests: number;
  /** Answers by operation and status. */
  readonly answers: ReadonlyMap<string, number>;
  /** Requests that the document accepts and the hub calls invalid, with its sentence. */
  readonly refused: ReadonlyMap<string, number>;
}

/** One step of a sequence: a request, or the worker's turn. */
type Step = PlannedRequest | 'encode';

/**
 * Sends sequences of requests that the document describes, a part of them spoiled, to a hub in this process, and holds
 * each answer to the document. Each sequence has a namespace and tokens of its own, so that it means the same when it
 * is made shorter.
 */
export async function fuzzApi(options: FuzzOptions): Promise<FuzzReport> {
  const document = JSON.parse(openApiText()) as OpenApi;
  const limits = new RequestLimits({ tokenPerMinute: 1e9, anonymousPerMinute: 1e9, concurrent: 100 });
  const gateway = await openTestGateway({
    admittance: (catalog) => ({ access: tokenAccess({ catalog }), limits, trustProxy: false }),
  });
  const fuzzed = new FuzzedHub(gateway, document);
  const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { arbitrary: plannedRequests(document), weight: 12 },
    { arbitrary: fc.constant('encode'), weight: 1 },
  );
  const sequence = fc.record({
    prepared: fc.constantFrom(...preparations),
    steps: fc.array(step, { minLength: 1, maxLength: sequenceLengthMax, size: 'max' }),
  });
  try {
    let seed = options.seed;
    const until = Date.now() + (options.minimumMs ?? 0);
    do {
      const play = fc.asyncProperty(sequence, ({ prepared, steps }) => fuzzed.play(prepared, steps));
      await fc.check(play, { numRuns: options.sequences, seed, endOnFailure: true });
      seed += 1;
    } while (Date.now() < until);
    return fuzzed;
  } finally {
    await gateway.close();
  }
}

class FuzzedHub implements FuzzReport {
  readonly failures = new Map<string, string>();
  requests = 0;
  readonly answers = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly #gateway: TestGateway;
  readonly #app: ReturnType<typeof createApp>;
  readonly #rules: ApiRules;
  #sequences = 0;

  constructor(gateway: TestGateway, document: OpenApi) {
    this.#gateway = gateway;
    this.#app = createApp(gateway);
    this.#rules = apiRules(document);
  }

  /** Ends at the first answer that is not as documented, and keeps it with the requests before it. */
  async play(prepared: Preparation, steps: readonly Step[]): Promise<void> {
    const world = await this.#newWorld();
    await prepareWorld(this.#preparing(world), world, prepared);
    const told: string[] = [`prepared: ${prepared}`];
    for (const step of steps) {
      if (step === 'encode') {
        told.push('encode');
        await this.#encode();
        continue;
      }
      const request = buildRequest(step, world);
      const answer = await this.#send(request);
      told.push(`${inWords(request)}\n    ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
      const faults = this.#faults(step, request, answer);
      if (faults.length > 0) return this.#fail(step, told, faults);
      if (answer.status < 300) world.learn(step.placed.operation.operationId, { ...answer, json: jsonOf(answer) });
    }
  }

  #fail({ placed }: PlannedRequest, told: readonly string[], faults: readonly string[]): void {
    const what = faults.map((fault) => `${placed.operation.operationId} ${fault}`).join('; ');
    const kind = what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]+|\d{4,}/g, '…').slice(0, 200);
    const known = this.failures.get(kind);
    const story = [...told, ...faults].join('\n  ');
    if (known === undefined || known.length > story.length) this.failures.set(kind, story);
  }

  #faults(step: PlannedRequest, request: BuiltRequest, answer: SeenAnswer): string[] {
    const { operation, method } = step.placed;
    if (!request.isRouted) return this.#rules.strayFaults(answer);
    count(this.answers, `${operation.operationId} ${answer.status}`);
    const invalid = requestFaults(step, request, this.#rules);
    const faults = this.#rules.answerFaults(operation, method, answer);
    if (invalid.length > 0 && answer.status < 300)
      faults.push(`answered ${answer.status}, although ${invalid.join('; ')}`);
    if (invalid.length === 0 && step.spoilings.length === 0 && answer.status === 400)
      count(this.refused, `${operation.operationId}: ${(jsonOf(answer) as { detail: string }).detail}`);
    return [...faults, ...this.#gateway.errors.splice(0).map((line) => `logged ${JSON.stringify(line)}`)];
  }

  async #send({ method, path, headers, body }: BuiltRequest): Promise<SeenAnswer> {
    this.requests += 1;
    const response = await this.#app.request(path, { method, headers, ...(body && { body: new Uint8Array(body) }) });
    return { status: response.status, headers: response.headers, bytes: await bytesOf(response) };
  }

  async #newWorld(): Promise<FuzzWorld> {
    this.#sequences += 1;
    const namespace = `n${this.#sequences}`;
    const token = async (grant: string): Promise<string> => {
      const made = { name: grant, grants: [parseGrant(grant)] };
      return `Bearer ${(await createToken(this.#gateway.catalog, operator, made)).text}`;
    };
    const [admin, reader] = [await token('admin'), await token(`read:${namespace}`)];
    return new FuzzWorld(namespace, { admin, reader, wrong: 'Bearer hf_wrong' });
  }

  #preparing(world: FuzzWorld): PreparedHub {
    return {
      send: (method, path, body, more = {}) => {
        const isJson = body !== undefined && !Buffer.isBuffer(body);
        const bytes = isJson ? Buffer.from(JSON.stringify(body)) : (body as Buffer | undefined);
        const headers = {
          authorization: world.tokens['admin']!,
          ...(isJson && { 'content-type': 'application/json' }),
          ...(Buffer.isBuffer(body) && { 'content-type': 'application/octet-stream' }),
          'content-length': String(bytes?.length ?? 0),
          ...more,
        };
        return this.#send({ method, path, headers, isRouted: true, ...(bytes && { body: bytes }) });
      },
      encode: () => this.#encode(),
      fail: async () => {
        const { jobs, transaction } = this.#gateway.catalog;
        const [job] = await jobs.claim({ kinds: [encodeJobKind], workerId: 'fuzz', leaseMs: 60_000, limit: 1 });
        const claim = { jobId: job!.id, workerId: 'fuzz', fence: job!.fence };
        const error = new FirnError('eval-crashed', 'The evaluation ended early.');
        await transaction(async (tx) => {
          await markEncodeEnded(tx, job!.subjectId, { as: 'failed', error });
          await tx.jobs.fail(claim, error.message, 'never');
        });
      },
    };
  }

  /** This hub has no evaluator: a run that searches leaves its checkpoint where it is. */
  async #encode(): Promise<void> {
    await this.#gateway.encode().catch(() => undefined);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function jsonOf({ headers, bytes }: SeenAnswer): unknown {
  return /[/+]json/.test(headers.get('content-type') ?? '') && bytes.length > 0
    ? JSON.parse(bytes.toString())
    : undefined;
}

function inWords({ method, path, headers, body }: BuiltRequest): string {
  const { authorization: _, ...shown } = headers;
  const sent = body === undefined ? '' : ` ${body.toString('latin1').slice(0, 400)}`;
  return `${method} ${path} ${JSON.stringify(shown).slice(0, 600)}${sent}`;
}

async function bytesOf(response: Response): Promise<Buffer> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return Buffer.from(await response.arrayBuffer());
  const reader = response.body!.getReader();
  const late = new Promise<{ done: true; value?: undefined }>((resolve) =>
    setTimeout(() => resolve({ done: true }), eventsReadMs),
  );
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await Promise.race([reader.read(), late]);
    if (done) break;
    parts.push(value!);
  }
  await reader.cancel();
  return Buffer.concat(parts);
}
