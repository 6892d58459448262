import { createInterface } from 'node:readline/promises';

/** Throws an Error where a name would have to be typed and nobody can be asked: before the hub is asked anything. */
export function requireSomebodyToAsk(name: string, isSure: boolean): void {
  if (!isSure && process.stdin.isTTY !== true)
    throw new Error(`Nobody can be asked whether ${name} is to go: say --yes.`);
}

/** Asks a person to type the name of what is deleted. Throws an Error if it is another, or if nobody can be asked. */
export async function confirmName(name: string, isSure: boolean): Promise<void> {
  requireSomebodyToAsk(name, isSure);
  if (isSure) return;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await lines.question(`This cannot be undone. Type ${name} to delete it: `);
    if (typed.trim() !== name) throw new Error(`That is not ${name}: nothing was deleted.`);
  } finally {
    lines.close();
  }
}
