/** What was found of one thing that Firn needs, or can use. */
export interface Finding {
  readonly what: string;
  /** `absent`: it is not needed, or not configured. */
  readonly state: 'ok' | 'absent' | 'bad';
  /** In a few words. */
  readonly found: string;
  /** What to do, where something is to be done. */
  readonly advice?: string;
}

/** The finding of a look that may throw. */
export async function lookAt(
  what: string,
  look: () => Promise<Omit<Finding, 'what'>> | Omit<Finding, 'what'>,
  advice: string,
): Promise<Finding> {
  try {
    return { what, ...(await look()) };
  } catch (error) {
    return { what, state: 'bad', found: error instanceof Error ? error.message : String(error), advice };
  }
}
