import { configDefaults, defineConfig } from 'vitest/config';
import LongTestsFirst from './test/long-tests-first.ts';
import { testsAlone } from './test/tests-alone.ts';

const shared = {
  // Native builds and database start-up run once per file; 60 s covers them on two shared cores.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  // Clients of hubs that run at once.
  maxConcurrency: 3,
};

export default defineConfig({
  test: {
    globalSetup: ['test/built-sources.ts', 'test/postgres/global-setup.ts'],
    reporters: ['default', './test/closing-line-reporter.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongTestsFirst },
    projects: [
      {
        // Two processes take the files of all rooms in turn, so that each module is loaded twice, not once per file.
        test: {
          ...shared,
          name: 'rooms',
          include: ['src/**/*.test.ts', 'bench/**/*.test.ts', 'clients/typescript/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...testsAlone],
          isolate: false,
        },
      },
      { test: { ...shared, name: 'alone', include: ['test/**/*.test.ts', ...testsAlone] } },
    ],
  },
});
