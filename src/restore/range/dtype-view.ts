import { isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';

/**
 * The layout of a file whose F32, F16 and BF16 tensors are all of `target`: a header built anew, the same tensors in
 * the same order, others as they are. The file's own layout when nothing changes, so that the view is then the file
 * byte for byte. Pure.
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
