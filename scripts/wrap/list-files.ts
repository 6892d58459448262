import { readdirSync } from 'node:fs';

/** Folders of this clone that hold what was installed, built or written by a server, by path from the root. */
const ignored = ['.git', 'build', 'coverage', 'data', 'dist', 'node_modules'];

/** Every document of the repository, by path from the root, sorted. */
export function listDocuments(root: string, folder = ''): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return ignored.includes(path) ? [] : listDocuments(root, `${path}/`);
      return entry.isFile() && path.endsWith('.md') ? [path] : [];
    })
    .sort();
}
