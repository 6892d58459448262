import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { nodeFlags } from './node-flags.ts';

const inWords = nodeFlags.join(' ');

test.each([
  ['bin/firn.mjs', `#!/usr/bin/env -S node ${inWords} --enable-source-maps\n`],
  ['Dockerfile', `ENTRYPOINT ["node", ${nodeFlags.map((flag) => `"${flag}"`).join(', ')}, `],
  ['package.json', `"start": "exec bin/firn.mjs"`],
  ['package.json', `exec node ${inWords} --enable-source-maps dist/cli/demo.js"`],
  ['scripts/run.sh', `exec node ${inWords} --import tsx "$@"\n`],
  ['docs/operations.md', `\`${inWords}\``],
])('%s starts a hub with the flags that all do', async (path, text) => {
  expect(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).toContain(text);
});
