import { translateDatabaseError } from './database-error.ts';

type Verb = (...args: never[]) => Promise<unknown>;

/** The same verbs, rejecting with FirnError where the database failed. */
export function translateFailures<Records extends { [Name in keyof Records]: Verb }>(records: Records): Records {
  const verbs = Object.entries(records) as [string, Verb][];
  return Object.fromEntries(
    verbs.map(([name, verb]) => [name, (...args: never[]) => translating(() => verb(...args))]),
  ) as Records;
}

/** The result of `work`, or its failure translated. The one place where errors of the database become FirnError. */
export async function translating<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateDatabaseError(error);
  }
}
