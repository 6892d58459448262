// Compiles the native core after `npm install firn-hub` if there is no prebuilt package for this machine: node
// scripts/install.mjs
// In a clone it does nothing: the start builds it. In an image without sources there is nothing to build yet.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const finder = new URL('dist/native/find-addon.js', root);
if (!existsSync(new URL('src', root)) && existsSync(finder)) {
  const { findAddon } = await import(finder);
  if (findAddon(fileURLToPath(root)) === undefined) await import('./build-native.mjs');
}
