import { z } from 'zod';
import { configSchema } from '../src/config.ts';

interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const [begin, end] = ['<!-- configuration keys: npm run configuration -->', '<!-- end of configuration keys -->'];

/** The keys of src/config.ts as a Markdown table: default, values, meaning. */
export function configurationTable(): string {
  const { properties = {} } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, Described> };
  const rows = Object.entries(properties).map(([key, about]) => `| \`${key}\` | ${about.default ?? ''} | ${valuesOf(about)} | ${about.description ?? ''} |`);
  return ['| key | default | values | |', '|---|---|---|---|', ...rows].join('\n');
}

/** A document with its table of keys replaced. Throws when it has no place for one. */
export function withConfigurationTable(document: string): string {
  const [before, rest] = document.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} ... ${end}`);
  return `${before}${begin}\n\n${configurationTable()}\n\n${end}${after}`;
}

function valuesOf({ enum: choices, minimum, maximum }: Described): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`;
}
