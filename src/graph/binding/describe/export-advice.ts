/** Options of torch.onnx.export that leave every weight under its own name, unfolded (tried with torch 2.13). */
export const plainExport = '`torch.onnx.export(..., dynamo=True, optimize=False, external_data=False)`';
/** The same for the older exporter, which merges equal weights into one unless they are inputs too. */
export const unfoldedExport =
  '`torch.onnx.export(..., dynamo=False, do_constant_folding=False, keep_initializers_as_inputs=True)`';
