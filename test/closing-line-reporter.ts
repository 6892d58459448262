import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line, "N passed, N failed, N skipped", for people and for tools that read logs. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const testModule of modules) {
      const states = Array.from(testModule.children.allTests(), (test) => test.result().state);
      for (const state of states) if (state !== 'pending') counts[state] += 1;
      // If a file does not load, or its hooks fail, none of its tests counts as failed.
      if (testModule.state() === 'failed' && !states.includes('failed')) counts.failed += 1;
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
