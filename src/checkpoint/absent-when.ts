import { FirnError, type FirnErrorCode } from './firn-error.ts';

/** For `catch`: answers undefined for the error that means there is nothing; any other error is thrown again. */
export function absentWhen(code: FirnErrorCode): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof FirnError && error.code === code) return undefined;
    throw error;
  };
}
