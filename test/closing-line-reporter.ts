import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line, "N passed, N failed, N skipped", for people and for tools that read logs. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const testModule of modules) {
      let tests = 0;
      for (const test of testModule.children.allTests()) {
        tests += 1;
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
      // A file that does not load has no tests to fail.
      if (tests === 0 && testModule.state() === 'failed') counts.failed += 1;
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
