// Compiles the native core after `npm install firn-hub`, where no prebuilt package for this machine came along: node
// scripts/install.mjs A clone has sources and builds when it starts; an image in the making has nothing to build yet.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const finder = new URL('dist/native/find-addon.js', root);
if (!existsSync(new URL('src', root)) && existsSync(finder)) {
  const { findAddon } = await import(finder);
  if (findAddon(fileURLToPath(root)) === undefined) await import('./build-native.mjs');
}
