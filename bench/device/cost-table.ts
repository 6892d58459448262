import type { DeviceCost } from './device-round.ts';

/** The costs as a table in Markdown; `times` compares with the first device that the same checkpoint was put on. */
export function costTable(costs: readonly (DeviceCost & { readonly parameters: number })[]): string {
  const head = [
    'millions of weights',
    'checkpoint',
    'FIRN_DEVICE',
    'put to ready, s',
    'times',
    'after the upload, s',
    'GB/s',
    'processor s',
    'sent / raw',
    'received / raw',
    'device memory at most, bytes a weight',
    'calls',
    'left to the processor',
    'failed',
    'ratio',
  ];
  const rows = costs.map((cost) => {
    const first = costs.find(({ parameters, step }) => parameters === cost.parameters && step === cost.step)!;
    return [
      (cost.parameters / 1e6).toFixed(0),
      cost.step === 0 ? 'base' : 'delta',
      `\`${cost.device}\``,
      cost.seconds.toFixed(1),
      (first.seconds / cost.seconds).toFixed(2),
      cost.encodeSeconds.toFixed(1),
      (cost.rawBytes / cost.seconds / 1e9).toFixed(2),
      cost.processorSeconds.toFixed(1),
      (cost.sentBytes / cost.rawBytes).toFixed(2),
      (cost.receivedBytes / cost.rawBytes).toFixed(2),
      (cost.peakBytes / cost.parameters).toFixed(1),
      String(cost.calls),
      String(cost.declined),
      String(cost.failures),
      `${(cost.rawBytes / cost.storedBytes).toFixed(1)}x`,
    ];
  });
  const rule = head.map((_, column) => (column === 1 || column === 2 ? '---' : '---:'));
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
