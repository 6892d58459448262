import type { FileRole } from '../../checkpoint/role.ts';

/** Usual names of gradient averages in training scripts: `sensitivity*.safetensors`, `*.grad.safetensors`. */
const sensitivityName = /^sensitivity.*\.safetensors$|\.grad\.safetensors$/;
/** `optimizer.pt`, `zero_optim_states.bin`, but not `optimized.safetensors`. */
const optimizerName = /(?:^|[._-])optim(?:izer)?s?(?:[._-]|$)/;

/** The role that a file's name suggests, if none was given. */
export function roleByName(path: string): FileRole {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (sensitivityName.test(name)) return 'sensitivity';
  if (optimizerName.test(name)) return 'optimizer';
  return name.endsWith('.safetensors') ? 'model' : 'other';
}
