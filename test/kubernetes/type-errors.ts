import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const virtualFile = join(root, 'test/kubernetes/manifests.virtual.ts');

/**
 * Type errors of manifests against types made from Kubernetes' published schemas. They include unknown keys, which the
 * schemas themselves allow and a server drops silently. One sentence per error, with the line, which is the number of
 * the manifest from 1.
 */
export function typeErrors(manifests: readonly { readonly apiVersion: string; readonly kind: string }[]): string[] {
  const typeOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string =>
    `import('kubernetes-models/${apiVersion}').I${kind}`;
  const text = manifests
    .map((manifest, i) => `export const manifest${i + 1}: ${typeOf(manifest)} = ${JSON.stringify(manifest)};`)
    .join('\n');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path === virtualFile || fileExists.call(host, path);
  host.readFile = (path) => (path === virtualFile ? text : readFile.call(host, path));
  host.getSourceFile = (path, target, ...rest) =>
    path === virtualFile ? ts.createSourceFile(path, text, target) : getSourceFile.call(host, path, target, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([virtualFile], options, host))
    .map(({ file, start, messageText }) => {
      const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}
