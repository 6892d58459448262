import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { anonymous, type Principal } from './principal.ts';

/** Limits of one client at one gateway process. */
export interface RequestLimitOptions {
  /** Requests a minute with one token. */
  readonly tokenPerMinute: number;
  /** Requests a minute from one address without a token. */
  readonly anonymousPerMinute: number;
  /** Concurrent requests with one token, or from one address without a token. */
  readonly concurrent: number;
}

/** The state of a client's limit, for the RateLimit header fields. */
export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the whole limit is available again. */
  readonly resetSeconds: number;
}

/** Admitted until `leave` is called, or refused for a number of seconds. */
export type Admission =
  | { readonly admitted: true; readonly standing: RateStanding; readonly leave: () => void }
  | { readonly admitted: false; readonly standing: RateStanding; readonly retryAfterSeconds: number };

const windowSeconds = 60;
/** Invalid tokens a minute and address; more are attempts to guess one. */
const refusedPerMinute = 60;
/** Retry-After when too many requests are concurrent, in seconds: most requests end within it. */
const concurrentRetrySeconds = 1;

/**
 * Limits requests by client: a rate in fixed windows of a minute, and a number of concurrent ones. Counted in this
 * process alone.
 */
export class RequestLimits {
  readonly #options: RequestLimitOptions;
  readonly #tokens: RateLimiterMemory;
  readonly #addresses: RateLimiterMemory;
  readonly #refused: RateLimiterMemory;
  /** Concurrent requests by client; absent at zero. */
  readonly #inWork = new Map<string, number>();

  constructor(options: RequestLimitOptions) {
    this.#options = options;
    this.#tokens = new RateLimiterMemory({ points: options.tokenPerMinute, duration: windowSeconds });
    this.#addresses = new RateLimiterMemory({ points: options.anonymousPerMinute, duration: windowSeconds });
    this.#refused = new RateLimiterMemory({ points: refusedPerMinute, duration: windowSeconds });
  }

  /** Counts a request of a principal from an address. */
  async admit(principal: Pick<Principal, 'id'>, address: string): Promise<Admission> {
    const isAnonymous = principal.id === anonymous.id;
    const client = isAnonymous ? `address ${networkOf(address)}` : `token ${principal.id}`;
    const limit = isAnonymous ? this.#options.anonymousPerMinute : this.#options.tokenPerMinute;
    const { passed, standing } = await consume(isAnonymous ? this.#addresses : this.#tokens, client, limit);
    if (!passed) return { admitted: false, standing, retryAfterSeconds: Math.max(1, standing.resetSeconds) };
    const inWork = this.#inWork.get(client) ?? 0;
    if (inWork >= this.#options.concurrent)
      return { admitted: false, standing, retryAfterSeconds: concurrentRetrySeconds };
    this.#inWork.set(client, inWork + 1);
    return { admitted: true, standing, leave: once(() => this.#leave(client)) };
  }

  /**
   * Seconds for which an address is blocked because it sent too many invalid tokens; undefined if it is not.
   */
  async blockedSeconds(address: string): Promise<number | undefined> {
    const found = await this.#refused.get(networkOf(address));
    return found !== null && found.consumedPoints >= refusedPerMinute
      ? Math.max(1, Math.ceil(found.msBeforeNext / 1000))
      : undefined;
  }

  /** Counts an invalid token. */
  async countRefused(address: string): Promise<void> {
    await consume(this.#refused, networkOf(address), refusedPerMinute);
  }

  #leave(client: string): void {
    const left = this.#inWork.get(client)! - 1;
    if (left > 0) this.#inWork.set(client, left);
    else this.#inWork.delete(client);
  }
}

async function consume(
  limiter: RateLimiterMemory,
  key: string,
  limit: number,
): Promise<{ readonly passed: boolean; readonly standing: RateStanding }> {
  const standingOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes): RateStanding => ({
    limit,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.ceil(msBeforeNext / 1000),
  });
  try {
    return { passed: true, standing: standingOf(await limiter.consume(key)) };
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return { passed: false, standing: standingOf(refused) };
    throw refused;
  }
}

/** The /64 network of an IPv6 address, because one client can use a whole /64. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('%', 1)[0]!.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...behind].slice(0, 4).join(':');
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
