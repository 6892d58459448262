/**
 * Purpose of a file of a checkpoint. A sensitivity file is an input of the search and is dropped once the checkpoint is
 * ready.
 */
export const fileRoles = ['model', 'sensitivity', 'optimizer', 'other'] as const;
export type FileRole = (typeof fileRoles)[number];

export const fidelities = ['exact', 'lossy'] as const;
export type Fidelity = (typeof fidelities)[number];
