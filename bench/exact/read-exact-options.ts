import { parseArgs } from 'node:util';

export interface ExactOptions {
  readonly seriesDirectory: string;
  /** Seconds for the rounds of one method in one direction; at least five rounds are timed. */
  readonly seconds: number;
  /** Parts of names: only matching methods run; all by default. */
  readonly only?: readonly string[];
  readonly jsonPath?: string;
  readonly markdownPath?: string;
  /** A Markdown document, and the name of its section to replace. */
  readonly into?: { readonly path: string; readonly section: string };
}

export const exactUsage =
  'npm run bench:exact -- <series dir> [--seconds 1] [--only name[,..]] [--json FILE] [--markdown FILE] ' +
  '[--into FILE --section NAME]';

/** Parses the command line. Throws an Error with one sentence. */
export function readExactOptions(args: readonly string[]): ExactOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '1' },
      only: text,
      json: text,
      markdown: text,
      into: text,
      section: { type: 'string', default: 'exact' },
    },
  });
  if (positionals.length !== 1) throw new Error(`one series directory: ${exactUsage}`);
  const seconds = Number(values.seconds);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new Error('--seconds wants a number above 0');
  if (!/^[a-z0-9-]+$/.test(values.section)) throw new Error('--section wants small letters, digits and dashes');
  return {
    seriesDirectory: positionals[0]!,
    seconds,
    ...(values.only !== undefined && { only: values.only.split(',') }),
    ...(values.json !== undefined && { jsonPath: values.json }),
    ...(values.markdown !== undefined && { markdownPath: values.markdown }),
    ...(values.into !== undefined && { into: { path: values.into, section: values.section } }),
  };
}
