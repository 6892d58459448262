import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadCore } from '../../native/load-core.ts';
import { lookAt, type Finding } from './finding.ts';

/** Oldest Node that Firn runs on, as package.json says. */
const nodeMin = [20, 19] as const;
/** Longest wait for a Python to start and import, in ms. */
const pythonMs = 30_000;

/** What the program itself is made of, and the Python client. */
export function lookAtProgram(env: Readonly<Record<string, string | undefined>>): Promise<Finding>[] {
  return [
    lookAt('Node', () => nodeFinding(process.versions.node), ''),
    lookAt(
      'native core',
      () => {
        const { simd, threads } = loadCore().stats();
        return { state: 'ok', found: `instruction set ${simd}, ${threads} threads` };
      },
      'npm run build:native in a clone, npm rebuild firn-hub elsewhere; it takes CMake 3.25 and a C++20 compiler',
    ),
    lookAt('onnxruntime', onnxruntimeFinding, 'npm rebuild onnxruntime-node; without it no eval set can be measured'),
    pythonFinding(env['FIRN_PYTHON'] ?? 'python3'),
  ];
}

/** Whether a version of Node is new enough. */
export function nodeFinding(version: string): Omit<Finding, 'what'> {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  if (isEnough) return { state: 'ok', found: version };
  return { state: 'bad', found: version, advice: `install Node ${nodeMin.join('.')} or newer` };
}

async function onnxruntimeFinding(): Promise<Omit<Finding, 'what'>> {
  const { env } = await import('onnxruntime-node');
  return { state: 'ok', found: env.versions.node ?? 'a version that does not say which' };
}

/** The Python client is one more way to pull, so it may be absent. */
async function pythonFinding(python: string): Promise<Finding> {
  const what = 'Python client';
  const advice = 'pip install ./clients/python, for compressed pulls in Python';
  const script = 'import sys, importlib.metadata as m; print(sys.version.split()[0], m.version("firn-hub"))';
  const child = spawn(python, ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], timeout: pythonMs });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await once(child, 'close').then(
    ([status]) => status as number | null,
    () => undefined,
  );
  if (code === undefined) return { what, state: 'absent', found: `no ${python}`, advice };
  if (code !== 0) return { what, state: 'absent', found: `${python} has no package firn-hub`, advice };
  const [version, client] = said.trim().split(' ');
  return { what, state: 'ok', found: `firn-hub ${client}, Python ${version}` };
}
