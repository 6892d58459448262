import { readConfig } from '../config.ts';
import { openCatalog } from '../wire.ts';
import { serverOffice } from './token/ask-server.ts';
import { readTokenCommand, type TokenCommand } from './token/read-token-command.ts';
import { catalogOffice, type ShownToken, type TokenOffice } from './token/token-office.ts';

/** `firn token`: makes, lists and revokes tokens. Returns the process's exit code; `say` and `complain` take one line each. */
export async function token(args: readonly string[], say: (line: string) => void, complain: (line: string) => void): Promise<number> {
  try {
    const command = readTokenCommand(args, new Date());
    const office = await openOffice(command);
    try {
      for (const line of await run(command, office)) say(line);
    } finally {
      await office.close();
    }
    return 0;
  } catch (error) {
    complain(`firn token: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

async function openOffice({ url }: TokenCommand): Promise<TokenOffice> {
  return url === undefined ? catalogOffice(await openCatalog(readConfig(process.env))) : serverOffice(url, process.env.FIRN_TOKEN ?? process.env.HF_TOKEN);
}

async function run(command: TokenCommand, office: TokenOffice): Promise<string[]> {
  switch (command.verb) {
    case 'create':
      return [await office.create(command)];
    case 'list':
      return (await office.list()).map(lineOf);
    case 'revoke':
      await office.revoke(command.id);
      return [`${command.id} is revoked`];
  }
}

function lineOf({ id, name, grants, expiresAt, revokedAt }: ShownToken): string {
  const end = revokedAt !== undefined ? `revoked ${revokedAt}` : expiresAt !== undefined ? `until ${expiresAt}` : 'for good';
  return `${id}  ${end}  ${grants.join(' ')}  ${name}`;
}
