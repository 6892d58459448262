import type { HubOptions } from '../hub/session.ts';
import { printTable } from '../terminal/print-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { lookAtHub } from './look-at-hub.ts';
import { lookAtProgram } from './look-at-program.ts';
import { lookAtServer } from './look-at-server.ts';

/** `firn doctor`: what works on this machine, and what to install. Returns the exit code, 1 if something is bad. */
export async function doctor(options: HubOptions, terminal: Terminal): Promise<number> {
  const [program, server, hub] = await Promise.all([
    Promise.all(lookAtProgram(process.env)),
    lookAtServer(process.env),
    lookAtHub(options),
  ]);
  const findings = [...program, ...server, ...hub];
  if (terminal.asJson) terminal.say(JSON.stringify(findings));
  else
    printTable(
      terminal,
      ['what', 'state', 'found', 'what to do'],
      findings.map(({ what, state, found, advice }) => [what, state, found, advice]),
    );
  return findings.some(({ state }) => state === 'bad') ? 1 : 0;
}
