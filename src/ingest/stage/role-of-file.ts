import { FirnError } from '../../checkpoint/firn-error.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { roleByName } from './role-by-name.ts';

const safetensorsEnding = '.safetensors';

export function isSafetensorsPath(path: string): boolean {
  return path.endsWith(safetensorsEnding);
}

/**
 * The role of a file: as announced, as requested, or by its name. Model weights and sensitivities must be safetensors
 * files. Throws `invalid-request` if the two disagree, or if the name does not fit the role.
 */
export function roleOfFile(path: string, asked?: FileRole, announced?: FileRole): FileRole {
  if (asked !== undefined && announced !== undefined && asked !== announced)
    throw new FirnError('invalid-request', `The file was announced with the role ${announced}.`);
  const role = announced ?? asked ?? roleByName(path);
  if ((role === 'model' || role === 'sensitivity') && !isSafetensorsPath(path)) {
    throw new FirnError(
      'invalid-request',
      `A file of the role ${role} must be a "${safetensorsEnding}" file; send anything else with the role other.`,
    );
  }
  return role;
}

/** Whether the file's header is checked on arrival. */
export function mustBeSafetensors(path: string, role: FileRole): boolean {
  return role !== 'other' && isSafetensorsPath(path);
}
