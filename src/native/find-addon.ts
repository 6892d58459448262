import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Path of the native core for a package directory: the compiled one, else the one in a prebuilt package of the same
 * version, which npm installed next to it. Undefined when there is neither.
 */
export function findAddon(packageRoot: string): string | undefined {
  const compiled = join(packageRoot, 'build', 'Release', 'firn_core.node');
  return existsSync(compiled) ? compiled : findPrebuilt(packageRoot);
}

/** The name of the package with the native core for this machine: by system, processor, and on Linux the C library. */
export function prebuiltPackageName(): string {
  const system =
    process.platform === 'linux' ? [process.platform, process.arch, cLibrary()] : [process.platform, process.arch];
  return `@firn-hub/core-${system.join('-')}`;
}

function findPrebuilt(packageRoot: string): string | undefined {
  const ours = join(packageRoot, 'package.json');
  try {
    const theirs = createRequire(ours).resolve(`${prebuiltPackageName()}/package.json`);
    // Another version may have other calls, or other bytes.
    return versionIn(theirs) === versionIn(ours) ? join(theirs, '..', 'firn_core.node') : undefined;
  } catch {
    return undefined;
  }
}

function versionIn(manifest: string): unknown {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }).version;
}

/** Node reports the glibc version it runs on; with another library it reports none. */
function cLibrary(): 'gnu' | 'musl' {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? 'musl' : 'gnu';
}
