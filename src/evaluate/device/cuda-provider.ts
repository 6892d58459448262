import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { InferenceSession, listSupportedBackends, Tensor } from 'onnxruntime-node';
import { buildModel, node, value } from '../../graph/onnx/build-model.ts';
import { runtimeWords } from '../runtime-words.ts';
import type { DeviceReport } from './device-report.ts';
import { sessionOptions } from './session-options.ts';

/** The files of the CUDA provider, which the install script of onnxruntime-node downloads. */
const providerFiles = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'] as const;
const howTo = 'docs/operations.md says how to install it, under "Workers with a GPU"';

/**
 * Why this installation cannot have CUDA at all, as a sentence; undefined if the provider's files are there. It looks
 * at files only, so that a machine without them pays nothing.
 */
export function missingCudaProvider(folder = runtimeFolder()): string | undefined {
  if (!listSupportedBackends().some(({ name }) => name === 'cuda'))
    return `onnxruntime-node has no CUDA provider for ${process.platform} on ${process.arch}.`;
  return folder !== undefined && providerFiles.every((name) => existsSync(join(folder, name)))
    ? undefined
    : `The CUDA provider of onnxruntime is not installed; ${howTo}.`;
}

/** The folder with the runtime's libraries for this machine: `bin/napi-vN/<platform>/<arch>` of onnxruntime-node. */
function runtimeFolder(): string | undefined {
  const bin = join(createRequire(import.meta.url).resolve('onnxruntime-node'), '../../bin');
  const version = existsSync(bin) ? readdirSync(bin).find((name) => name.startsWith('napi-v')) : undefined;
  return version === undefined ? undefined : join(bin, version, process.platform, process.arch);
}

/** A product of two matrices of small integers, whose result is exact on every device. */
const probe = {
  model: () =>
    buildModel({
      inputs: [value('a', [2, 2]), value('b', [2, 2])],
      outputs: [value('c', [2, 2])],
      nodes: [node('MatMul', ['a', 'b'], ['c'])],
    }),
  a: [1, 2, 3, 4],
  b: [5, 6, 7, 8],
  c: [19, 22, 43, 50],
};

/**
 * Starts the CUDA provider in this process and multiplies two small matrices on it. Never rejects: a provider that
 * does not start, or multiplies wrongly, is reported as `cpu` with the reason.
 */
export async function reportCuda(): Promise<DeviceReport> {
  try {
    const session = await InferenceSession.create(probe.model(), sessionOptions('cuda'));
    try {
      const matrix = (elements: readonly number[]) => new Tensor('float32', Float32Array.from(elements), [2, 2]);
      const { c } = await session.run({ a: matrix(probe.a), b: matrix(probe.b) });
      const product = Array.from(c!.data as Float32Array);
      if (product.some((element, at) => element !== probe.c[at]))
        return { kind: 'cpu', reason: `The CUDA device multiplies wrongly: ${product.join(', ')}.` };
    } finally {
      await session.release();
    }
    return { kind: 'cuda' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'cpu', reason: whyNot(detail), detail };
  }
}

function whyNot(detail: string): string {
  if (/failed to load shared library/i.test(detail))
    return `onnxruntime cannot load its CUDA provider, which needs CUDA 12 and cuDNN 9; ${howTo}.`;
  return `The CUDA provider of onnxruntime does not start: ${runtimeWords(detail).sentence || 'it does not say why.'}`;
}
