import { translateDatabaseError } from './database-error.ts';

type Verb = (...args: never[]) => Promise<unknown>;

/** The same verbs, rejecting with FirnError where the database failed. The one place where records' errors are translated. */
export function translateFailures<Records extends object>(records: Records): Records {
  const verbs = Object.entries(records) as [string, Verb][];
  return Object.fromEntries(verbs.map(([name, verb]) => [name, translated(verb)])) as Records;
}

function translated(verb: Verb): Verb {
  return async (...args) => {
    try {
      return await verb(...args);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
}
