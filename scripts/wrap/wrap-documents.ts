// Wraps documents at 100 columns: `node --import tsx scripts/wrap/wrap-documents.ts`; with --check it changes nothing,
// names the documents that are not wrapped, and exits with 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';
import { longLines } from './long-lines.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const check = process.argv.includes('--check');
const complaints: string[] = [];
for (const path of listFiles(root, /\.md$/)) {
  const text = readFileSync(`${root}${path}`, 'utf8');
  const wrapped = await wrapMarkdown(text);
  if (wrapped !== text && check) complaints.push(`${path} is not wrapped at 100 columns: run "npm run format".`);
  if (wrapped !== text && !check) writeFileSync(`${root}${path}`, wrapped);
  // Lines that no tool can break: code, and code within a line.
  for (const line of longLines(wrapped)) complaints.push(`${path}: this line has more than 100 columns: ${line}`);
}
if (complaints.length > 0) {
  process.stderr.write(`${complaints.join('\n')}\n`);
  process.exit(1);
}
