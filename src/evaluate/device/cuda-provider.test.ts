import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../program-files.ts';
import { missingCudaProvider, reportCuda } from './cuda-provider.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'firn-provider-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isForCuda = process.platform === 'linux' && process.arch === 'x64';

test.runIf(isForCuda)('a provider is there when both of its files are', () => {
  expect(missingCudaProvider(folder)).toMatch(/^The CUDA provider of onnxruntime is not installed; docs\/operations/);
  writeFileSync(join(folder, 'libonnxruntime_providers_shared.so'), '');
  expect(missingCudaProvider(folder)).toMatch(/not installed/);
  writeFileSync(join(folder, 'libonnxruntime_providers_cuda.so'), '');
  expect(missingCudaProvider(folder)).toBeUndefined();
});

test.skipIf(isForCuda)('only onnxruntime-node for Linux on x64 has one', () => {
  expect(missingCudaProvider(folder)).toMatch(/^onnxruntime-node has no CUDA provider for /);
});

test('the image puts the files that the runtime needs where it looks for them', () => {
  const dockerfile = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8');
  const [, target] = /^COPY --from=cuda-provider \S+ (\S+)$/m.exec(dockerfile)!;
  expect(existsSync(join(packageRoot, target!, 'onnxruntime_binding.node'))).toBe(true);
  const { manifests } = createRequire(import.meta.url)('onnxruntime-node/script/install-metadata.js') as {
    manifests: Record<string, Record<string, unknown>>;
  };
  const downloaded = Object.keys(manifests['linux/x64:cuda12']!).map((name) => basename(name));
  for (const name of ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so']) {
    expect(downloaded).toContain(name);
    expect(dockerfile).toContain(` ${name} `);
  }
});

// The runtime itself answers. Where the provider is installed and finds a GPU, it says `cuda`.
test.runIf(isForCuda && missingCudaProvider() !== undefined)('one that cannot be loaded is a sentence', async () => {
  expect(await reportCuda()).toEqual({
    kind: 'cpu',
    reason: expect.stringMatching(/^onnxruntime cannot load its CUDA provider, which needs CUDA 12 and cuDNN 9; .*\.$/),
    detail: expect.stringContaining('Failed to load shared library'),
  });
});
