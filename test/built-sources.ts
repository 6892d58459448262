import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

/**
 * Before each run of tests: brings dist/ up to date with the sources, because hubs, evaluation processes and commands
 * that tests start are what was built. Throws, with what esbuild printed, when the sources do not compile.
 */
export default function setup(project: TestProject): void {
  buildSources();
  project.onTestsRerun(buildSources);
}

function buildSources(): void {
  const script = fileURLToPath(new URL('../scripts/build-sources.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
}
