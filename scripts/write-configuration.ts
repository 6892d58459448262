// Writes the table of configuration keys in docs/operations.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withConfigurationTable } from './configuration-table.ts';

const path = new URL('../docs/operations.md', import.meta.url);
writeFileSync(path, withConfigurationTable(readFileSync(path, 'utf8')));
