import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { demoProgram } from '../harness/firn-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundled = join(root, 'examples/lm-small');
/** Longest time until the demo of one checkpoint has printed its page, in ms. */
const readyWithinMs = 300_000;

let folder: string | undefined;
let demo: ChildProcess | undefined;
afterEach(() => {
  if (demo?.exitCode === null && demo.signalCode === null) demo.kill('SIGKILL');
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Starts the demo on the first checkpoint of the bundled series, with `folder/tmp` for temporary files. */
function startDemo(): { readonly demo: ChildProcess; readonly said: () => string } {
  folder = mkdtempSync(join(tmpdir(), 'firn-open-'));
  const [seriesFolder, temporary] = [mkdtempSync(join(folder, 'series-')), mkdtempSync(join(folder, 'tmp-'))];
  const series = JSON.parse(readFileSync(join(bundled, 'series.json'), 'utf8')) as { checkpoints: unknown[] };
  for (const name of readdirSync(bundled))
    if (name !== 'series.json') symlinkSync(join(bundled, name), join(seriesFolder, name));
  writeFileSync(
    join(seriesFolder, 'series.json'),
    JSON.stringify({ ...series, checkpoints: series.checkpoints.slice(0, 1) }),
  );
  demo = spawn(process.execPath, [...demoProgram, seriesFolder, '--open'], {
    cwd: root,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  return { demo, said: () => text };
}

describe('the demo with --open', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints the address of its page, serves it until %s, and leaves nothing',
    { timeout: readyWithinMs + 60_000 },
    async (signal) => {
      const { demo, said } = startDemo();
      const page = /page of it: (http:\S+) \(Ctrl-C ends it\)\n/;
      await expect.poll(said, { timeout: readyWithinMs, interval: 200 }).toMatch(page);
      const [, address] = page.exec(said())!;
      const answer = await fetch(address!, { headers: { accept: 'text/html' } });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('demo/series');
      const ended = once(demo, 'exit');
      demo.kill(signal);
      expect(await ended).toEqual([0, null]);
      await expect(fetch(address!)).rejects.toThrow();
      const [left] = readdirSync(folder!).filter((name) => name.startsWith('tmp-'));
      expect(readdirSync(join(folder!, left!)).filter((name) => name.startsWith('firn-'))).toEqual([]);
    },
  );
});
