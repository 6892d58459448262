// Wraps the prose of documents at 100 columns: `node --import tsx scripts/wrap-documents.ts`; with --check it changes nothing, names those that are not wrapped, and exits with 1.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapMarkdown } from './wrap-markdown.ts';

const root = new URL('../', import.meta.url);
/** Documents, and folders of them, that have to be wrapped. */
const documents = ['README.md', 'CHANGELOG.md', 'docs/roadmap.md'];
const folders = ['docs/benchmarks', 'docs/decisions', 'docs/guide'];

const paths = [
  ...documents,
  ...folders.flatMap((folder) =>
    readdirSync(new URL(folder, root))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
const check = process.argv.includes('--check');
const changed: string[] = [];
for (const path of paths) {
  const file = fileURLToPath(new URL(path, root));
  const text = readFileSync(file, 'utf8');
  const wrapped = await wrapMarkdown(text);
  if (wrapped === text) continue;
  changed.push(path);
  if (!check) writeFileSync(file, wrapped);
}
if (check && changed.length > 0) {
  process.stderr.write(`Not wrapped at 100 columns: ${changed.join(', ')}. Run "npm run format".\n`);
  process.exit(1);
}
