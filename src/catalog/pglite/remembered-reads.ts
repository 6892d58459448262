import type { QueryOptions, Results } from '@electric-sql/pglite';

/** Statements that change nothing. All others count as changes, whatever they do. */
const reading = /^select\b(?!.*\bfor (update|no key update|share|key share)\b)(?!.*\b(pg_\w+|nextval|setval)\()/is;
/** Without a table it asks whether the database answers. */
const ofTable = /\bfrom\b/i;
/** What gives another answer without a change. */
const changingByItself =
  /\b(now|random|gen_random_uuid|timeofday|(clock|statement|transaction)_timestamp)\(|\b(current|local)_?(date|time)/i;
/** Results that are remembered; beyond it the oldest is forgotten. */
const resultsMax = 500;
/** Statements that were seen once; beyond it the counting begins anew. */
const seenMax = 2000;
/** Rows of a result that is remembered. */
const rowsMax = 16;
/** Size of a result that is remembered: characters, and eight for each other value. */
const sizeMax = 16 * 1024;

type Answer = Results<unknown>;

/** A read whose answer may be remembered. */
export interface Read {
  /** The same for the same statement with the same values. */
  readonly key: string;
  /** How many changes there were when it began. */
  readonly asOf: number;
}

/**
 * Answers of statements, each until anything in the database changes: right only where every statement of the database
 * goes through here, which one process alone can promise. A hub is asked for the same few things again and again, by
 * clients that begin each file with its repository and its branch. A statement's answer is kept when it comes a second
 * time, and frozen, since all who ask get the same one.
 */
export class RememberedReads {
  readonly #seen = new Set<string>();
  /** The oldest first. */
  readonly #answers = new Map<string, Answer>();
  #changes = 0;

  /** Call it after every statement and transaction, before whoever asked for it goes on. */
  changed(): void {
    this.#changes += 1;
    this.#answers.clear();
    this.#seen.clear();
  }

  /** Whether a statement changes nothing. */
  isRead(text: string): boolean {
    return reading.test(text);
  }

  /** Undefined if the answer is not to be remembered. */
  begin(text: string, params: readonly unknown[] | undefined, options: QueryOptions | undefined): Read | undefined {
    if (!ofTable.test(text) || changingByItself.test(text) || !(params ?? []).every(isPlain)) return undefined;
    return { key: JSON.stringify([options?.rowMode, params, text]), asOf: this.#changes };
  }

  /** The answer, if nothing has changed since it was given. */
  answer({ key }: Read): Answer | undefined {
    return this.#answers.get(key);
  }

  keep({ key, asOf }: Read, answer: Answer): void {
    // Something changed while the statement ran: the answer may be of before or after it.
    if (asOf !== this.#changes) return;
    if (!this.#seen.has(key)) {
      if (this.#seen.size >= seenMax) this.#seen.clear();
      this.#seen.add(key);
      return;
    }
    if (answer.rows.length > rowsMax || sizeOf(answer.rows) > sizeMax) return;
    if (this.#answers.size >= resultsMax) this.#answers.delete(this.#answers.keys().next().value!);
    this.#answers.set(key, frozen(answer));
  }
}

function isPlain(value: unknown): boolean {
  return value === null || value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Bytes cannot be frozen, so they are never remembered. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return Infinity;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 8);
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
}
