// Writes the list of configuration keys in docs/operations.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withConfigurationList } from './configuration-list.ts';

const path = new URL('../docs/operations.md', import.meta.url);
writeFileSync(path, await withConfigurationList(readFileSync(path, 'utf8')));
