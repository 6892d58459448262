import { readConfig } from '../config.ts';
import { openCatalog } from '../process/open-parts.ts';
import { administerOnServer } from './token/ask-server.ts';
import { readTokenCommand, type TokenCommand } from './token/read-token-command.ts';
import { administerInCatalog, type ShownToken, type TokenAdministration } from './token/token-administration.ts';

/**
 * `firn token`: creates, lists and revokes tokens. Returns the process's exit code; `say` and `complain` print one line
 * each.
 */
export async function token(
  args: readonly string[],
  say: (line: string) => void,
  complain: (line: string) => void,
): Promise<number> {
  try {
    const command = readTokenCommand(args, new Date());
    const administration = await openAdministration(command);
    try {
      for (const line of await run(command, administration)) say(line);
    } finally {
      await administration.close();
    }
    return 0;
  } catch (error) {
    complain(`firn token: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

async function openAdministration({ url }: TokenCommand): Promise<TokenAdministration> {
  return url === undefined
    ? administerInCatalog(await openCatalog(readConfig(process.env)))
    : administerOnServer(url, process.env.FIRN_TOKEN ?? process.env.HF_TOKEN);
}

async function run(command: TokenCommand, administration: TokenAdministration): Promise<string[]> {
  switch (command.verb) {
    case 'create':
      return [await administration.create(command)];
    case 'list':
      return (await administration.list()).map(lineOf);
    case 'revoke':
      await administration.revoke(command.id);
      return [`${command.id} is revoked`];
  }
}

function lineOf({ id, name, grants, expiresAt, revokedAt }: ShownToken): string {
  const end =
    revokedAt !== undefined ? `revoked ${revokedAt}` : expiresAt !== undefined ? `until ${expiresAt}` : 'for good';
  return `${id}  ${end}  ${grants.join(' ')}  ${name}`;
}
