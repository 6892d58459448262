import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** Where `npm run hub-clients:install` puts its Pythons by default. */
const usualFolder = fileURLToPath(new URL('../../build/hub-clients', import.meta.url));
const packages = ['huggingface_hub', 'hf_xet', 'safetensors', 'transformers', 'torch', 'accelerate', 'datasets'];

/** A Python with clients of hubs. */
export interface PythonWithClients {
  readonly path: string;
  /** Version of each installed package. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * The Python of this folder of `HUB_CLIENTS`, or of the place where the install script puts it; undefined if it
 * has not this version of huggingface_hub.
 */
export function findPythonWithHub(folder: string, version: string): PythonWithClients | undefined {
  const path = join(process.env.HUB_CLIENTS ?? usualFolder, folder, 'bin', 'python');
  const script = `
import importlib.metadata, json
found = {}
for name in ${JSON.stringify(packages)}:
    try: found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError: pass
print(json.dumps(found))`;
  const { status, stdout } = spawnSync(path, ['-c', script], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const versions = JSON.parse(stdout) as Record<string, string>;
  return versions['huggingface_hub'] === version ? { path, versions } : undefined;
}
