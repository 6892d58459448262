import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EvaluationChild } from './evaluation-child.ts';

const limits = { deadlineMs: 10_000, memoryMaxBytes: 2 ** 30 };
const request = {
  kind: 'check',
  evalSet: { graphPath: '', batchesPath: '', spec: { inputs: {}, metrics: [] } },
} as const;
let folder: string;

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'firn-child-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A child that runs `source` instead of evaluations. */
function childOf(name: string, source: string): EvaluationChild {
  const modulePath = join(folder, `${name}.mjs`);
  writeFileSync(modulePath, source);
  return new EvaluationChild({ modulePath, execPath: process.execPath, execArgv: [] });
}

describe('EvaluationChild', { timeout: 30_000 }, () => {
  test.each<[string, string, string, string | undefined]>([
    [
      'dies at its start',
      'console.error("no such library"); process.exit(3);',
      'eval-crashed',
      'exit code 3\nno such library',
    ],
    [
      'dies on a request',
      'process.on("message", () => process.kill(process.pid, "SIGSEGV")); process.send({ kind: "ready" });',
      'eval-crashed',
      'SIGSEGV',
    ],
    [
      'dies for lack of memory',
      'process.on("message", () => { console.error("FATAL ERROR: JavaScript heap out of memory"); ' +
        'process.exit(134); }); process.send({ kind: "ready" });',
      'eval-memory',
      undefined,
    ],
  ])('one that %s', async (name, source, code, detail) => {
    const child = childOf(name.replaceAll(' ', '-'), source);
    await expect(child.ask(request, limits)).rejects.toMatchObject({
      code,
      ...(detail === undefined ? {} : { detail: expect.stringContaining(detail) }),
    });
    expect(child.alive).toBe(false);
  });

  test("gets nothing of its parent's environment", async () => {
    vi.stubEnv('FIRN_SECRET', 'secret');
    const child = childOf(
      'env',
      'process.on("message", () => process.send({ kind: "failed", code: "internal", message: ' +
        'JSON.stringify(process.env) })); process.send({ kind: "ready" });',
    );
    const reply = await child.ask(request, limits);
    expect(reply).toMatchObject({ message: expect.not.stringContaining('FIRN_SECRET') });
    await child.kill();
    vi.unstubAllEnvs();
  });

  test('ends soon after its parent, however the parent ended and however busy it is', async () => {
    const pidPath = join(folder, 'busy.pid');
    const loader = new URL('./orphan-watch.ts', import.meta.url).href;
    writeFileSync(
      join(folder, 'busy.mts'),
      `import { writeFileSync } from 'node:fs'; import { endWithParent } from '${loader}'; await ` +
        `endWithParent(); process.on('message', () => { writeFileSync('${pidPath}', ` +
        `String(process.pid)); for (;;); }); process.send('up');`,
    );
    writeFileSync(
      join(folder, 'parent.mjs'),
      `import { fork } from 'node:child_process'; const child = fork('${join(folder, 'busy.mts')}', { ` +
        `execArgv: ['--import', '${import.meta.resolve('tsx')}'] }); child.on('message', () => ` +
        `child.send('go'));`,
    );
    const parent = spawn(process.execPath, [join(folder, 'parent.mjs')], { stdio: 'ignore' });
    await vi.waitUntil(() => existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== '', { timeout: 20_000 });
    const pid = Number(readFileSync(pidPath, 'utf8'));
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000 });
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
