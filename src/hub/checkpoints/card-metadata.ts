import { parseDocument } from 'yaml';
import { cardBytesMax } from './base-model.ts';

/** Longest metadata that are read, in characters: what takes the parser longest, takes it a tenth of a second. */
const metadataMax = 16 * 1024;
/** Aliases that may be resolved: a few lines of YAML could stand for gigabytes. */
const aliasesMax = 10;
/** Errors that are said of one card. */
const errorsMax = 10;

export interface CardMetadata {
  /** Undefined if there is none, or if it is no YAML. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** One sentence each. */
  readonly errors: readonly string[];
}

/** The metadata of a model card: YAML between two lines of three hyphens at its beginning. Pure; never throws. */
export function cardMetadata(card: string): CardMetadata {
  const [, text] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(card.slice(0, cardBytesMax)) ?? [];
  if (text === undefined) return { data: undefined, errors: [] };
  if (text.length > metadataMax)
    return { data: undefined, errors: [`The metadata have more than ${metadataMax} characters.`] };
  try {
    // To find keys that occur twice takes the square of their number.
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
    if (document.errors.length > 0)
      return { data: undefined, errors: document.errors.slice(0, errorsMax).map(({ message }) => message) };
    // As JSON, because it becomes a part of an answer.
    const data: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: aliasesMax })) ?? 'null');
    if (data === null) return { data: undefined, errors: [] };
    return typeof data === 'object' && !Array.isArray(data)
      ? { data: data as Record<string, unknown>, errors: [] }
      : { data: undefined, errors: ['The metadata is not a list of keys with values.'] };
  } catch {
    // Too many aliases, too deep, or nothing that JSON has.
    return { data: undefined, errors: ['The metadata cannot be read.'] };
  }
}

/** What hubs say of a model from its card. Pure. */
export function fieldsOfCard({ data }: CardMetadata): object {
  if (data === undefined) return {};
  const { pipeline_tag: pipelineTag, library_name: libraryName, license, tags } = data;
  const texts = (Array.isArray(tags) ? tags : [tags]).filter((tag) => typeof tag === 'string');
  const all = [
    ...texts,
    ...[libraryName, pipelineTag].filter((tag) => typeof tag === 'string'),
    ...(typeof license === 'string' ? [`license:${license}`] : []),
  ];
  return {
    cardData: data,
    tags: [...new Set(all)],
    ...(typeof pipelineTag === 'string' && { pipeline_tag: pipelineTag }),
    ...(typeof libraryName === 'string' && { library_name: libraryName }),
  };
}
