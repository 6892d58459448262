import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm run hub-clients:install` puts its Pythons by default; huggingface_hub needs httpx, too. */
const usualFolder = fileURLToPath(new URL('../../build/hub-clients', import.meta.url));

/** A Python that has httpx; undefined where there is none. */
export function findPythonWithHttpx(): string | undefined {
  const hubClients = join(process.env['HUB_CLIENTS'] ?? usualFolder, 'hub-1', 'bin', 'python');
  return ['python3', hubClients].find((python) => spawnSync(python, ['-c', 'import httpx']).status === 0);
}
