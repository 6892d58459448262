import { join } from 'node:path';
import { openPgliteCatalog } from '../catalog/open-pglite.ts';
import { readConfig } from '../config.ts';
import { serverOffice } from './token/ask-server.ts';
import { readTokenCommand, type TokenCommand } from './token/read-token-command.ts';
import { catalogOffice, type TokenOffice } from './token/token-office.ts';

/** `firn token`: makes, lists and revokes tokens. */
async function main(): Promise<void> {
  const command = readTokenCommand(process.argv.slice(2), new Date());
  const office = await openOffice(command);
  try {
    process.stdout.write(await run(command, office));
  } finally {
    await office.close();
  }
}

async function openOffice({ url }: TokenCommand): Promise<TokenOffice> {
  if (url !== undefined) return serverOffice(url, process.env.HF_TOKEN);
  const { dataDirectory } = readConfig(process.env);
  return catalogOffice(await openPgliteCatalog({ directory: join(dataDirectory, 'catalog') }));
}

async function run(command: TokenCommand, office: TokenOffice): Promise<string> {
  switch (command.verb) {
    case 'create':
      return `${await office.create(command)}\n`;
    case 'list':
      return (await office.list())
        .map(({ id, name, grants, expiresAt, revokedAt }) => {
          const end = revokedAt !== undefined ? `revoked ${revokedAt}` : expiresAt !== undefined ? `until ${expiresAt}` : 'for good';
          return `${id}  ${end}  ${grants.join(' ')}  ${name}\n`;
        })
        .join('');
    case 'revoke':
      await office.revoke(command.id);
      return `${command.id} is revoked\n`;
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`firn token: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
