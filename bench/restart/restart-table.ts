import type { LiftedGuard } from './restart-arm.ts';
import type { RestartFigures } from './restart-figures.ts';

const methodNames = {
  exact: 'exact',
  residual: 'Firn (residual)',
  inshrinkerator: 'the paper (inshrinkerator)',
  'lc-checkpoint': 'LC-Checkpoint',
  bitsnap: 'BitSnap',
} as const;

/**
 * The table as Markdown, one row for every way to store and plan of restarts. `metric` is compared at the end.
 */
export function restartTable(figures: readonly RestartFigures[], metric: string): string {
  const header = [
    'threshold',
    'method',
    'restarts',
    'seeds',
    `final ${metric} unbroken`,
    `final ${metric} restarted`,
    'excess mean',
    'excess worst',
    'ratio of the whole run',
  ];
  const lines = figures.map(({ arm, plan, seedCount, unbrokenMean, restartedMean, excessMean, excessWorst, ratio }) => [
    arm.threshold === undefined ? '-' : `${Number((100 * arm.threshold).toFixed(2))} %`,
    `${methodNames[arm.method]}${withoutText(arm)}${progressText(arm)}${stateText(arm)}`,
    plan,
    String(seedCount),
    unbrokenMean.toFixed(4),
    restartedMean.toFixed(4),
    percent(excessMean, 2),
    percent(excessWorst, 2),
    `${ratio.toFixed(1)}x`,
  ]);
  const aligned = header.map((_, i) => (i < 3 ? '---' : '---:'));
  return [header, aligned, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const guardNames: Readonly<Record<LiftedGuard, string>> = {
  rounding: 'rounding to the nearest',
  weights: 'the bound on weights',
  divergence: 'the divergence',
  errors: 'the standard error',
  progress: 'the bound on progress',
  all: 'any guard',
};

function withoutText({ without }: RestartFigures['arm']): string {
  return without === undefined ? '' : ` without ${guardNames[without]}`;
}

function progressText({ progress }: RestartFigures['arm']): string {
  return progress === undefined ? '' : `, ${percent(progress, 0)} of the progress`;
}

function stateText({ state }: RestartFigures['arm']): string {
  return state === 'exact' ? '' : `, ${state} state`;
}

function percent(share: number, digits: number): string {
  return `${(100 * share).toFixed(digits)} %`;
}
