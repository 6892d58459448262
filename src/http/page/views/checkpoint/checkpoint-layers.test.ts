import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../../../../checkpoint/firn-error.ts';
import type { LayerBytes } from '../../../../package/layer-bytes.ts';
import type { Gateway } from '../../../gateway.ts';
import { CheckpointLayers, readLayers } from './checkpoint-layers.tsx';

const ready = { state: 'ready', packageId: '1'.repeat(32) } as Checkpoint;
const address = { namespace: 'acme', name: 'gpt', run: 'train', step: 7 };

const layerOf = (layer: string, weights: number): LayerBytes => ({
  layer,
  tensorCount: 1,
  logicalBytes: 4000,
  stored: { weights, state: 0, exact: 0 },
});

/** A gateway whose packages are read so. */
function reading(layers: Gateway['downloads']['layers']): Pick<Gateway, 'downloads'> {
  return { downloads: { layers } as Gateway['downloads'] };
}

describe('readLayers', () => {
  it('reads nothing of a checkpoint that has no package or is not ready', async () => {
    const gateway = reading(() => Promise.reject(new Error('read')));
    expect(await readLayers(gateway, { ...ready, state: 'working' }, true)).toBeUndefined();
    const { packageId: _, ...raw } = ready;
    expect(await readLayers(gateway, raw, true)).toBeUndefined();
  });

  it('lets no slow storage keep the page waiting, and then stops reading', async () => {
    let signal: AbortSignal | undefined;
    const gateway = reading((_, options) => {
      ({ signal } = options);
      return new Promise(() => undefined);
    });
    expect(await readLayers(gateway, ready, false)).toEqual({ isLong: true });
    expect(signal?.aborted).toBe(true);
  });

  it('reads a long index only for who asked', async () => {
    const asked: number[] = [];
    const gateway = reading(async (_, { indexBytesMax }) => {
      asked.push(indexBytesMax);
      return indexBytesMax > 2 * 1024 * 1024 ? [layerOf('h.0', 5)] : undefined;
    });
    expect(await readLayers(gateway, ready, false)).toEqual({ isLong: true });
    expect(await readLayers(gateway, ready, true)).toEqual({ layers: [layerOf('h.0', 5)] });
    expect(asked).toEqual([1024 * 1024, 64 * 1024 * 1024]);
  });

  it('says of a damaged package that it is, and hides no mistake', async () => {
    const damaged = new FirnError('corrupt-package', 'The stored package is damaged and cannot be read.');
    expect(
      await readLayers(
        reading(() => Promise.reject(damaged)),
        ready,
        false,
      ),
    ).toEqual({ why: damaged.message });
    await expect(
      readLayers(
        reading(() => Promise.reject(new TypeError('x'))),
        ready,
        false,
      ),
    ).rejects.toThrow('x');
  });
});

describe('CheckpointLayers', () => {
  const show = (layers: readonly LayerBytes[]) =>
    String(CheckpointLayers({ found: { layers }, address, storedBytes: 600_000, isAsked: false }));

  it('draws the largest of many layers, lists more, sums up the others, and stays small', () => {
    const text = show(Array.from({ length: 100_000 }, (_, at) => layerOf(`h.${at}`, at === 70_000 ? 9000 : 1)));
    expect(text.match(/<text/g)).toHaveLength(2 * 24);
    expect(text.match(/<tr>/g)).toHaveLength(1 + 200 + 1);
    expect(text).toContain('99,977 others');
    expect(text).toContain('99,801 others');
    expect(text).toContain('h.70000');
    expect(text).toContain('index and tables');
    expect(text.length).toBeLessThan(60_000);
  });

  it('shows names as text, long ones without their middle', () => {
    const text = show([layerOf('<b>', 1), layerOf('model.language_model.layers.31', 1)]);
    expect(text).toContain('&lt;b&gt;');
    expect(text).not.toContain('<b>');
    expect(text).toMatch(/>model\.…del\.layers\.31</);
  });

  it('is empty words for an empty package, not a drawing of NaN', () => {
    expect(show([])).not.toMatch(/NaN|Infinity/);
    expect(show([layerOf('h.0', 0)])).not.toMatch(/NaN|Infinity/);
  });
});
