import type { ClassRow } from './cross-entropy.ts';

/** How often the class of the largest logit is the label, and how often it would be by chance. */
export interface TopChoiceFindings {
  /** Share of positions. */
  readonly right: number;
  /** The share to expect if labels were dealt out anew: the sum over classes of share chosen times share labelled. */
  readonly byChance: number;
}

/**
 * Counts first choices and labels. By chance a model that always chooses a frequent class is often right; only what it
 * gets right beyond that shows that labels and outputs belong together.
 */
export class TopChoices {
  #chosen = new Float64Array(0);
  #labelled = new Float64Array(0);
  #right = 0;
  #count = 0;

  add(row: ClassRow, label: number): void {
    if (this.#chosen.length === 0) {
      this.#chosen = new Float64Array(row.classCount);
      this.#labelled = new Float64Array(row.classCount);
    }
    const choice = largest(row);
    this.#chosen[choice]!++;
    this.#labelled[label]!++;
    this.#count++;
    if (choice === label) this.#right++;
  }

  /** Undefined without a position. */
  findings(): TopChoiceFindings | undefined {
    if (this.#count === 0) return undefined;
    const byChance = this.#chosen.reduce((sum, chosen, at) => sum + chosen * this.#labelled[at]!, 0);
    return { right: this.#right / this.#count, byChance: byChance / this.#count ** 2 };
  }
}

/** Chance is far below: half as much again, and six standard deviations of a share of so many positions. */
const beyondChance = { share: 1.5, deviations: 6 };

/** Whether labels and outputs belong together, however bad the loss is. */
export function beatsChance({ right, byChance }: TopChoiceFindings, positions: number): boolean {
  const deviation = Math.sqrt((byChance * (1 - byChance)) / positions);
  return right >= beyondChance.share * byChance && right >= byChance + beyondChance.deviations * deviation;
}

function largest({ data, start, classCount, stride }: ClassRow): number {
  let best = 0;
  for (let at = 1; at < classCount; at++) if (data[start + at * stride]! > data[start + best * stride]!) best = at;
  return best;
}
