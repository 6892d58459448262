import { FirnError, type FirnErrorCode } from '../firn-error.ts';

/** Errors of the header parser for bytes that are no safetensors file. */
const codes: ReadonlySet<FirnErrorCode> = new Set<FirnErrorCode>([
  'header-truncated',
  'header-too-large',
  'header-invalid',
  'tensor-overlap',
  'tensor-gap',
  'tensor-size-mismatch',
  'tensor-duplicate',
  'dtype-unknown',
  'not-safetensors',
  'length-mismatch',
]);

/**
 * Whether reading a layout failed because the bytes are no safetensors file. Any other error (a damaged chunk, a
 * failing disk) does not depend on the content.
 */
export function isNotSafetensors(error: unknown): boolean {
  return error instanceof FirnError && codes.has(error.code);
}
