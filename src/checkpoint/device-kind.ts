/** What work runs on: the processor, or a GPU through CUDA. Figures of one checkpoint are measured on one kind only. */
export const deviceKinds = ['cpu', 'cuda'] as const;
export type DeviceKind = (typeof deviceKinds)[number];
