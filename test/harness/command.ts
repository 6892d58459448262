import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Findings of a long test. */
export interface Findings {
  /** One sentence each; empty if the test passes. */
  readonly problems: readonly string[];
}

type Options = Readonly<Record<string, string>>;

/**
 * Runs a test as a command if its module is the program. Options are `--name value` with these defaults. Progress goes
 * to standard error, the findings as one line of JSON to standard output. The exit code is 1 if there are problems.
 */
export async function runAsCommand<O extends Options>(
  moduleUrl: string,
  defaults: O,
  test: (options: { readonly [Name in keyof O]: string }, say: (line: string) => void) => Promise<Findings>,
): Promise<void> {
  if (process.argv[1] !== fileURLToPath(moduleUrl)) return;
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string' as const, default: value }]),
  );
  const { values } = parseArgs({ options });
  const startedMs = performance.now();
  const say = (line: string): void =>
    void process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(0)} s: ${line}\n`);
  const findings = await test(values as { readonly [Name in keyof O]: string }, say);
  for (const problem of findings.problems) process.stderr.write(`PROBLEM ${problem}\n`);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${JSON.stringify({ ...values, ...findings, problems: findings.problems.length, seconds })}\n`);
  // Node goes on reading the template of a catalog in memory, although nobody waits for it.
  process.exit(findings.problems.length === 0 ? 0 : 1);
}
