import { spawnSync } from 'node:child_process';

export interface PythonWithTorch {
  readonly path: string;
  readonly torchVersion: string;
}

/** Path of the interpreter for Debian's python3-torch, even if another Python comes first. */
const usualPlaces = ['python3', '/usr/bin/python3'];

export const pythonMissing =
  'no Python with PyTorch and numpy: install python3-torch and libopenblas0-pthread, or name an interpreter ' +
  'that has them in FIRN_PYTHON';

/**
 * Environment of training. One thread, for equal results everywhere, also in a BLAS with threads of its own. Writes
 * nothing beside the sources.
 */
export const trainingEnvironment = {
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  PYTHONDONTWRITEBYTECODE: '1',
} as const;

/** The requested interpreter, or the first usual one, that can import PyTorch and numpy; undefined if there is none. */
export function findPython(wanted: string | undefined): PythonWithTorch | undefined {
  for (const path of wanted === undefined ? usualPlaces : [wanted]) {
    const { status, stdout } = spawnSync(path, ['-c', 'import numpy, torch; print(torch.__version__)'], {
      encoding: 'utf8',
      env: { ...process.env, ...trainingEnvironment },
    });
    if (status === 0) return { path, torchVersion: stdout.trim() };
  }
  return undefined;
}
