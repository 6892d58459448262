import { bytesInWords } from '../../checkpoint/words/bytes-in-words.ts';

/** One line of progress: share, bytes, rate and time left. */
export function progressInWords(doing: string, doneBytes: number, totalBytes: number, elapsedMs: number): string {
  const rate = doneBytes / Math.max(1, elapsedMs);
  const leftS = rate > 0 ? Math.ceil((totalBytes - doneBytes) / rate / 1000) : undefined;
  const share = totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes);
  const width = 20;
  const bar = '#'.repeat(Math.floor((share * width) / 100)).padEnd(width, '.');
  return (
    `${doing} [${bar}] ${share} %  ${bytesInWords(doneBytes)} of ${bytesInWords(totalBytes)}  ` +
    `${bytesInWords(Math.round(rate * 1000))}/s${leftS === undefined ? '' : `  ${leftS} s left`}`
  );
}

const levels = '▁▂▃▄▅▆▇█';

/** Values as a row of bars, from the least to the largest. Those that are not finite are blanks. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const finite = values.filter((value): value is number => value !== undefined && Number.isFinite(value));
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  return values
    .map((value) => {
      if (value === undefined || !Number.isFinite(value)) return ' ';
      return levels[most === least ? 0 : Math.round(((value - least) / (most - least)) * (levels.length - 1))];
    })
    .join('');
}
