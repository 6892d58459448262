import { largestClass, type ClassRow } from './cross-entropy.ts';

/** Share of positions at which the label's class has the largest logit, and the share expected by chance. */
export interface TopChoiceFindings {
  /** Share of positions. */
  readonly right: number;
  /** The expected share if labels were shuffled: the sum over classes of share chosen times share labelled. */
  readonly byChance: number;
}

/**
 * Counts first choices and labels. A model that always chooses a frequent class is often right by chance; only a higher
 * share shows that labels and outputs belong together.
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
    this.#count++;
    this.#labelled[label]!++;
    const choice = largestClass(row);
    // A position with a NaN has no first choice.
    if (choice < 0) return;
    this.#chosen[choice]!++;
    if (choice === label) this.#right++;
  }

  /** Undefined without positions. */
  findings(): TopChoiceFindings | undefined {
    if (this.#count === 0) return undefined;
    const byChance = this.#chosen.reduce((sum, chosen, at) => sum + chosen * this.#labelled[at]!, 0);
    return { right: this.#right / this.#count, byChance: byChance / this.#count ** 2 };
  }
}

/**
 * Beyond chance means at least half as much again, and six standard deviations of a share of that many positions more.
 */
const beyondChance = { share: 1.5, deviations: 6 };

/** Whether labels and outputs belong together, however bad the loss is. */
export function beatsChance({ right, byChance }: TopChoiceFindings, positions: number): boolean {
  const deviation = Math.sqrt((byChance * (1 - byChance)) / positions);
  return right >= beyondChance.share * byChance && right >= byChance + beyondChance.deviations * deviation;
}
