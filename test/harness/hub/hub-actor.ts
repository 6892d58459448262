import { randomNumbers } from '../../acceptance/random-numbers.ts';
import type { HubCaller } from './hub-caller.ts';
import { exactWeights, type HubFile } from './hub-file.ts';
import type { MakeOperation, Operation, Place } from './hub-operations.ts';
import { reachedCommits, type MixCommit, type MixState } from './hub-state.ts';

/** Sends requests of the current operation; `isRepeat` if a process that died may have done them before. */
export type SenderOf = (isRepeat: boolean) => HubCaller['send'];

export interface ActorPlan {
  readonly namespace: string;
  readonly seed: number;
  /** Done once, before all others. */
  readonly first?: MakeOperation;
  /** Operations of one round. */
  readonly round: readonly MakeOperation[];
  /** Whether a round is in this order, and not in one that the seed says. */
  readonly inOrder?: boolean;
  readonly weights?: (step: number) => HubFile;
  /** Whether the hub publishes the compressed form of weights. */
  readonly isLossy?: boolean;
}

/**
 * One hub client with a repository of its own. It does one operation after another, each round all of its kinds once,
 * and knows what the repository has to show.
 */
export class HubActor {
  readonly isLossy: boolean;
  /** Operations that were acknowledged, by kind. */
  readonly done: Record<string, number> = {};
  state: MixState;
  /** The operation whose answer is still missing. */
  current: Operation | undefined;
  /** Commits that can be read by their ids, also where no branch leads to them any more. */
  commits: ReadonlySet<MixCommit> = new Set();
  /** Commits that a squash dropped. */
  readonly dropped = new Set<MixCommit>();
  /** Commits that a check has read. */
  readonly wasRead = new Set<MixCommit>();
  /** Names that the repository had before. */
  readonly formerNames = new Set<string>();
  /** Files of weights of the compressed forms that were seen, by step. */
  readonly published = new Map<number, { readonly id: string; readonly sha256: string }>();
  readonly #plan: ActorPlan;
  readonly #random: () => number;
  readonly #kept = new Set<string>();
  #waiting: MakeOperation[] = [];
  #number = 0;
  #wasFound = false;

  constructor(plan: ActorPlan) {
    this.#plan = plan;
    this.#random = randomNumbers(plan.seed);
    this.isLossy = plan.isLossy ?? false;
  }

  /** Whether every operation of the first round was acknowledged. */
  get isRoundDone(): boolean {
    const { first, round } = this.#plan;
    const count = Object.values(this.done).reduce((sum, each) => sum + each, 0);
    return count >= round.length + Number(first !== undefined);
  }

  /** Does one operation; one that was interrupted is done again. */
  async act(senderOf: SenderOf): Promise<void> {
    const isRepeat = this.current !== undefined;
    this.current ??= this.#next();
    await this.current.run({ send: senderOf(isRepeat), kept: this.#kept });
    this.#finish(this.current);
  }

  /** The states that the repository may be in, the likelier one first. */
  get possibleStates(): readonly MixState[] {
    if (this.current === undefined || this.#wasFound) return [this.state];
    return [this.current.after, this.current.before];
  }

  /** Notes which of the possible states was found. From now on the repository has to stay in it. */
  found(state: MixState): void {
    const { current } = this;
    if (current === undefined || state !== current.after || this.#wasFound) return;
    this.#adopt(current);
    this.#wasFound = true;
    // A squash that is sent again squashes again: the client takes it for done.
    if (current.kind === 'squash') this.#finish(current);
  }

  #finish(operation: Operation): void {
    if (!this.#wasFound) this.#adopt(operation);
    this.#wasFound = false;
    this.current = undefined;
    this.done[operation.kind] = (this.done[operation.kind] ?? 0) + 1;
  }

  #adopt({ kind, before, after }: Operation): void {
    this.state = after;
    if (before !== undefined && before.name !== after?.name) this.formerNames.add(before.name);
    if (after !== undefined) this.formerNames.delete(after.name);
    const reached = reachedCommits(after);
    if (kind === 'squash') for (const commit of this.commits) if (!reached.has(commit)) this.dropped.add(commit);
    if (kind === 'remove') this.dropped.clear();
    this.commits = kind === 'squash' || after === undefined ? reached : new Set([...this.commits, ...reached]);
  }

  /** The first of the round that is possible now; the next round begins where none is. */
  #next(): Operation {
    const { first, round, namespace, inOrder = false, weights = exactWeights } = this.#plan;
    const place: Place = { state: this.state, random: this.#random, number: ++this.#number, namespace, weights };
    const begin = this.#number === 1 ? first?.(place) : undefined;
    if (begin !== undefined) return begin;
    for (let rounds = 0; rounds < 2; rounds++) {
      for (const [at, make] of this.#waiting.entries()) {
        const operation = make(place);
        if (operation === undefined) continue;
        this.#waiting.splice(at, 1);
        return operation;
      }
      this.#waiting.push(...(inOrder ? round : shuffled(round, this.#random)));
    }
    throw new Error('no operation of the round is possible');
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0]!);
}
