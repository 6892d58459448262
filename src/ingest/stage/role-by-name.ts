import type { FileRole } from '../../checkpoint/role.ts';

/** What training scripts call gradient averages: `sensitivity*.safetensors`, `*.grad.safetensors`. */
const sensitivityName = /^sensitivity.*\.safetensors$|\.grad\.safetensors$/;
/** `optimizer.pt`, `zero_optim_states.bin`, but not `optimized.safetensors`. */
const optimizerName = /(?:^|[._-])optim(?:izer)?s?(?:[._-]|$)/;

/** The role that a file's name suggests, when nobody said one. */
export function roleByName(path: string): FileRole {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (sensitivityName.test(name)) return 'sensitivity';
  if (optimizerName.test(name)) return 'optimizer';
  return name.endsWith('.safetensors') ? 'model' : 'other';
}
