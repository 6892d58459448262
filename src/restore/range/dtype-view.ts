import { isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';

/**
 * The layout of a file whose F32, F16 and BF16 tensors all have the dtype `target`. It has a new header and the same
 * tensors in the same order; others stay as they are. If nothing changes, this is the file's own layout, so that the
 * view equals the file byte for byte. Pure.
 */
export function dtypeView(layout: SafetensorsLayout, target: QuantizableDtype): SafetensorsLayout {
  if (layout.tensors.every(({ dtype }) => !isQuantizable(dtype) || dtype === target)) return layout;
  const tensors = layout.tensors.map(({ name, dtype, shape }) => ({
    name,
    shape,
    dtype: isQuantizable(dtype) ? target : dtype,
  }));
  return buildSafetensorsHeader(tensors, layout.metadata);
}
