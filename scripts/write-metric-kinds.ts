// Writes the descriptions of metric kinds in docs/guide/eval-sets.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withMetricKinds } from './metric-kinds-in-guide.ts';

const path = new URL('../docs/guide/eval-sets.md', import.meta.url);
writeFileSync(path, await withMetricKinds(readFileSync(path, 'utf8')));
