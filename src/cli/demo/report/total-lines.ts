import type { LineageLag } from './lineage-lag.ts';
import { stepText } from './step-text.ts';
import type { StoredParts, Totals } from './totals.ts';

const partNames: Readonly<Record<keyof StoredParts, string>> = {
  packageBytes: 'packages, with those of abandoned steps',
  rawBytes: 'uploads that are kept: the newest of each lossy run, and files stored as they are',
  hubBytes: 'files that hub clients committed',
  evalSetBytes: 'eval set',
  stagedBytes: 'uploads that wait to be compressed',
  hiddenBytes: 'deleted checkpoints that others build on',
  pendingDeletionBytes:
    'what nothing needs any more, as uploads that have been compressed: deleted a day later (FIRN_GC_GRACE_H)',
};
const bytesWidth = 12;

/** The end of the demo's report: stored bytes, every ratio with its meaning, and the lag of the rebuilt checkpoints. */
export function totalLines(totals: Totals): string[] {
  const { checkpoints, rawBytes, storedBytes, ratio, abandoned, everything, asGoodAs } = totals;
  const worst = Object.entries(totals.worstDegradation).map(([name, value]) => `${name} ${(100 * value).toFixed(2)} %`);
  const named = (Object.keys(partNames) as (keyof StoredParts)[]).filter(
    (part) => part !== 'pendingDeletionBytes' && everything.parts[part] > 0,
  );
  return [
    `total: ${checkpoints} checkpoints of the run as it ended, each step once, uploaded as ${rawBytes} bytes`,
    bytesLine(storedBytes, `packages of these checkpoints, ratio ${ratio.toFixed(2)}`),
    ...(abandoned.checkpoints === 0 ? [] : [bytesLine(abandoned.storedBytes, abandonedText(totals))]),
    bytesLine(everything.keptBytes, `everything that stays, ratio ${everything.keptRatio.toFixed(2)}:`),
    ...named.map((part) => bytesLine(everything.parts[part], `  ${partNames[part]}`)),
    bytesLine(everything.storedBytes, `everything stored now, ratio ${everything.ratio.toFixed(2)}: that, and`),
    bytesLine(everything.parts.pendingDeletionBytes, `  ${partNames.pendingDeletionBytes}`),
    ...(asGoodAs === undefined ? [] : [lagLine(asGoodAs)]),
    `worst degradation of every push: ${worst.join(', ')}; ${totals.trials} trials, ${totals.seconds.toFixed(1)} s`,
  ];
}

function abandonedText({ abandoned: { checkpoints, storedBytes: lost }, storedBytes }: Totals): string {
  const steps = checkpoints === 1 ? '1 step' : `${checkpoints} steps`;
  return `more for ${steps} that the crash abandoned, ${((100 * lost) / storedBytes).toFixed(1)} % of these`;
}

function lagLine({ metric, last, lastStep, meanLagSteps, beforeFirst }: LineageLag): string {
  const end = last.beforeFirst
    ? `worse than the first upload, step ${stepText(last.step)}`
    : `as good as step ${stepText(last.step)} of ${stepText(lastStep)}`;
  const least =
    beforeFirst === 0
      ? ''
      : ` or more: ${beforeFirst} of them ${beforeFirst === 1 ? 'is' : 'are'} worse than the first upload`;
  return (
    `by ${metric}, the last checkpoint comes back ${end}; on average they are ${meanLagSteps.toFixed(1)} steps ` +
    `of training behind${least}`
  );
}

function bytesLine(bytes: number, text: string): string {
  return `${String(bytes).padStart(bytesWidth)} ${text}`;
}
