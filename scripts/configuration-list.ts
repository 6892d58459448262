import { z } from 'zod';
import { configSchema } from '../src/config-keys.ts';
import { wrapMarkdown } from './wrap/wrap-markdown.ts';

interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const [begin, end] = ['<!-- configuration keys: npm run configuration -->', '<!-- end of configuration keys -->'];

/** The keys of src/config-keys.ts as a Markdown list: default, values, meaning. */
export function configurationList(): string {
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Described>;
  };
  return Object.entries(properties)
    .map(
      ([key, about]) =>
        `- \`${key}\` (${[`default ${about.default ?? 'none'}`, ...valuesOf(about)].join('; ')}): ` +
        `${about.description ?? ''}`,
    )
    .join('\n');
}

/** A document with its list of keys replaced, wrapped like all documents. Rejects if it has no place for one. */
export async function withConfigurationList(document: string): Promise<string> {
  const [before, rest] = document.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} ... ${end}`);
  return wrapMarkdown(`${before}${begin}\n\n${configurationList()}\n\n${end}${after}`);
}

function valuesOf({ enum: choices, minimum, maximum }: Described): string[] {
  if (choices !== undefined) return [choices.map((choice) => `\`${choice}\``).join(', ')];
  return minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`];
}
