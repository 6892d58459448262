import { defineConfig } from 'vitest/config';
import LongTestsFirst from './test/long-tests-first.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/postgres/global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'clients/typescript/**/*.test.ts'],
    // Native builds and database start-up run once per file; 60 s covers them on two shared cores.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    reporters: ['default', './test/closing-line-reporter.ts'],
    maxWorkers: 2,
    // Clients of hubs that run at once.
    maxConcurrency: 3,
    sequence: { sequencer: LongTestsFirst },
  },
});
