import { translateDatabaseError } from './database-error.ts';

type Verb = (...args: never[]) => Promise<unknown>;

/** The same verbs, with failures of the database translated to FirnError. */
export function translateFailures<Records extends { [Name in keyof Records]: Verb }>(records: Records): Records {
  const verbs = Object.entries(records) as [string, Verb][];
  return Object.fromEntries(
    verbs.map(([name, verb]) => [name, (...args: never[]) => translating(() => verb(...args))]),
  ) as Records;
}

/** The result of `work`, or its translated failure. Database errors become FirnErrors only here. */
export async function translating<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateDatabaseError(error);
  }
}
