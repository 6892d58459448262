// Wraps comments of code at 120 columns: `node --import tsx scripts/wrap/wrap-comments.ts [file...]`; with --check it
// changes nothing, names the files that are not wrapped, and exits with 1. Run it after prettier, which moves comments
// without wrapping them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrapComments } from './wrap-code-comments.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Generated. */
const leftOut = new Set(['src/graph/onnx/onnx_pb.ts', 'clients/typescript/src/firn-api.ts']);
const check = process.argv.includes('--check');
const given = process.argv.slice(2).filter((argument) => argument !== '--check');
/** Without those that were deleted since the last commit. */
const tracked = (): string[] =>
  execFileSync('git', ['ls-files', '-z', '--', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => existsSync(`${root}${path}`));
const paths = (given.length > 0 ? given : tracked()).filter(
  (path) => path !== '' && !/^(openapi|examples)\//.test(path) && !leftOut.has(path),
);

const complaints: string[] = [];
for (const path of paths) {
  const text = readFileSync(`${root}${path}`, 'utf8');
  const wrapped = wrapComments(text, { jsx: path.endsWith('.tsx') });
  if (wrapped === text) continue;
  if (check) complaints.push(`${path} has comments that are not wrapped at 120 columns: run "npm run format".`);
  else writeFileSync(`${root}${path}`, wrapped);
}
if (complaints.length > 0) {
  process.stderr.write(`${complaints.join('\n')}\n`);
  process.exit(1);
}
