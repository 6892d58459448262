import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bench's own training script. */
export const ownScript = fileURLToPath(new URL('train_gpt.py', import.meta.url));

const declarations = fileURLToPath(new URL('../../node_modules/@types/node', import.meta.url));

/**
 * Training text that is the same in every checkout: Node's documentation in the type declarations whose version
 * package-lock.json pins.
 */
export function ownTexts(): string[] {
  const names = readdirSync(declarations, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  return names.sort().map((name) => join(declarations, name));
}
