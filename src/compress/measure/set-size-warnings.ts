import { figureInWords } from '../../checkpoint/words/figure-in-words.ts';
import { metricKindRules } from '../../checkpoint/quality/metric-kind.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { standardErrorGroupsMin, standardErrors } from './judge-metrics.ts';
import type { MeasuredQuality } from './observed-quality.ts';

/** If standard errors take more than this share of a threshold, the eval set is small for it. */
const shareMax = 1 / 2;
/** The share that the named number of rows would leave them. */
const shareAimed = 1 / 4;

/**
 * Warnings about an eval set that is too small for its thresholds: the standard error over its rows takes more than
 * half of a threshold, which costs bytes, or cannot be told at all. A standard error falls with the square root of the
 * number of rows.
 */
export function setSizeWarnings({ bound, measured, rows }: MeasuredQuality): string[] {
  const { standardErrors: errors = 0, thresholds, spec } = bound;
  if (errors === 0) return [];
  const groupCount = measured.groups?.length ?? 0;
  if (groupCount < standardErrorGroupsMin)
    return [
      `The eval set is too small to tell how its figures differ from those of other examples: it has ${rows} ` +
        `rows in ${groupCount} groups, and that takes ${standardErrorGroupsMin} groups. ` +
        'The thresholds hold for its own rows alone.',
    ];
  const found = standardErrors(bound, measured.groups ?? []);
  return spec.metrics.flatMap(({ name, kind }) => {
    const [threshold, error] = [thresholds[name], found[name]];
    if (threshold === undefined || threshold === 0) return [];
    if (error === undefined)
      return [
        `How ${quoteName(name)} differs from row to row cannot be told, as it is not finite on every group ` +
          'of rows; its threshold holds for the eval set alone.',
      ];
    const share = (errors * error) / threshold;
    if (share <= shareMax) return [];
    const wanted = Math.ceil(rows * (share / shareAimed) ** 2);
    const inUnit = (value: number): string =>
      metricKindRules[kind].bound === 'relative' ? `${figureInWords(100 * value, 2)} %` : figureInWords(value, 2);
    return [
      `The eval set is small for the threshold of ${quoteName(name)}, ${inUnit(threshold)}: over its ${rows} ` +
        `rows the standard error is ${inUnit(error)}, and what it takes of the threshold costs bytes. ` +
        `About ${figureInWords(wanted, 2)} rows would bring it down to ${inUnit((shareAimed * threshold) / errors)}.`,
    ];
  });
}
