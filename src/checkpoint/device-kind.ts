/** What work runs on: the processor, or a GPU through CUDA. Figures of one checkpoint are measured on one kind only. */
export const deviceKinds = ['cpu', 'cuda'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/**
 * What compressed a checkpoint: the processor alone, a GPU or the emulated one wherever there is work for a device, or
 * `mixed`: a device did some of it, failed or had no memory for the rest, and the processor did that. The bytes are the
 * same.
 */
export const encodedOnKinds = [...deviceKinds, 'emulated', 'mixed'] as const;
export type EncodedOn = (typeof encodedOnKinds)[number];
