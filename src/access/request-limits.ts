import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { anonymous, type Principal } from './principal.ts';

/** What one client may ask of one gateway process. */
export interface RequestLimitOptions {
  /** Requests a minute with one token. */
  readonly tokenPerMinute: number;
  /** Requests a minute from one address without a token. */
  readonly anonymousPerMinute: number;
  /** Requests in work at once, with one token or from one address without one. */
  readonly concurrent: number;
}

/** How a client stands: for the RateLimit header fields. */
export interface RateStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is there again. */
  readonly resetSeconds: number;
}

/** Let in, until `leave` is called; or not, for so many seconds. */
export type Admission =
  | { readonly admitted: true; readonly standing: RateStanding; readonly leave: () => void }
  | { readonly admitted: false; readonly standing: RateStanding; readonly retryAfterSeconds: number };

const windowSeconds = 60;
/** Refused tokens a minute and address: more are tries to find one. */
const refusedPerMinute = 60;
/** When a place among the concurrent ones may be free: most requests are over by then. */
const concurrentRetrySeconds = 1;

/** Requests by client: a rate in fixed windows of a minute, and how many at once. Counted in this process alone. */
export class RequestLimits {
  readonly #options: RequestLimitOptions;
  readonly #tokens: RateLimiterMemory;
  readonly #addresses: RateLimiterMemory;
  readonly #refused: RateLimiterMemory;
  /** By client; absent at zero. */
  readonly #inWork = new Map<string, number>();

  constructor(options: RequestLimitOptions) {
    this.#options = options;
    this.#tokens = new RateLimiterMemory({ points: options.tokenPerMinute, duration: windowSeconds });
    this.#addresses = new RateLimiterMemory({ points: options.anonymousPerMinute, duration: windowSeconds });
    this.#refused = new RateLimiterMemory({ points: refusedPerMinute, duration: windowSeconds });
  }

  /** Counts a request of a principal from an address. */
  async admit(principal: Principal, address: string): Promise<Admission> {
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
   * Seconds for which an address that sent too many tokens that do not hold is not listened to; undefined when it is.
   */
  async blockedSeconds(address: string): Promise<number | undefined> {
    const found = await this.#refused.get(networkOf(address));
    return found !== null && found.consumedPoints >= refusedPerMinute
      ? Math.max(1, Math.ceil(found.msBeforeNext / 1000))
      : undefined;
  }

  /** Counts a token that does not hold. */
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

/** An IPv6 client has a whole /64 to take addresses from. */
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
