import { runProgram } from './run-program.ts';

/** Runs a command line in this process; returns the exit code and the lines of both outputs. */
export async function runFirn(...args: string[]): Promise<{ code: number; said: string[]; complained: string[] }> {
  const [said, complained]: [string[], string[]] = [[], []];
  const code = await runProgram(args, {
    startServer: () => Promise.reject(new Error('no server is started here')),
    openTerminal: (asJson) => ({
      isPerson: false,
      asJson,
      say: (line) => void said.push(line),
      remark: (line) => void complained.push(line),
      progress: () => undefined,
    }),
    complain: (line) => void complained.push(line),
  });
  return { code, said, complained };
}
