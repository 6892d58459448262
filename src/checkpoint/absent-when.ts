import { FirnError, type FirnErrorCode } from './firn-error.ts';

/** For `catch`: of failures, the one that means there is nothing; any other passes. */
export function absentWhen(code: FirnErrorCode): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof FirnError && error.code === code) return undefined;
    throw error;
  };
}
