import { readdirSync } from 'node:fs';

/** Folders that hold what was installed, built or written by a server, wherever they are. */
const ignored = ['.git', '.venv', 'build', 'coverage', 'data', 'dist', 'node_modules'];

/** Every file of the repository whose path from the root matches, sorted. */
export function listFiles(root: string, wanted: RegExp, folder = ''): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return ignored.includes(entry.name) ? [] : listFiles(root, wanted, `${path}/`);
      return entry.isFile() && wanted.test(path) ? [path] : [];
    })
    .sort();
}
