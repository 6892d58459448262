import { createHash } from 'node:crypto';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import type { NativeCore } from '../../native/core.ts';
import { planBlob } from '../../package/blocks/plan-file.ts';
import type { ObjectReader } from '../../store/object-store.ts';
import { ModelSource, type SourceFile } from '../upload/model-source.ts';
import { safetensors, type TestTensors } from './tiny-model.test-support.ts';

/** An object in memory. */
export function memoryReader(bytes: Uint8Array): ObjectReader {
  return {
    sizeBytes: bytes.length,
    read: async (at, length) => bytes.slice(at, at + length),
    async *stream(start = 0, end = bytes.length) {
      yield bytes.slice(start, end);
    },
    close: async () => undefined,
  };
}

/** A file as `loadSource` gives it. */
export function sourceFile(path: string, bytes: Uint8Array, role: FileRole = 'model'): SourceFile {
  const type = path.endsWith('.safetensors') ? 'safetensors' : 'blob';
  const layout = type === 'safetensors' ? parseSafetensorsHeader(bytes, bytes.length) : planBlob(bytes.length).layout;
  return {
    path,
    role,
    type,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    layout,
    reader: memoryReader(bytes),
  };
}

/** One model file in memory, with gradients if given. */
export function memorySource(core: NativeCore, tensors: TestTensors, gradients: TestTensors = {}): ModelSource {
  const bytes = safetensors(gradients);
  const reader = memoryReader(bytes);
  const entries = parseSafetensorsHeader(bytes, bytes.length).tensors;
  return new ModelSource(
    [sourceFile('model.safetensors', safetensors(tensors))],
    new Map(entries.map((entry) => [entry.name, { entry, reader }])),
    core,
    2 ** 20,
  );
}
