import { quoteName } from '../checkpoint/words/quote-name.ts';

/** The text of an error of onnxruntime, without places in its own sources. */
export interface RuntimeWords {
  /** The operator at which it stopped, in words; undefined if the message names none. */
  readonly place: string | undefined;
  /** The runtime's own sentence; empty if nothing is left of it. */
  readonly sentence: string;
}

/** Most characters of a runtime's sentence in a message. */
const sentenceLengthMax = 400;
/** Most characters of a message that are parsed: the relevant part is at its beginning. */
const messageLengthMax = 4000;

/**
 * Extracts operator, node and sentence from an error of onnxruntime. Source paths, functions, conditions and addresses
 * are left out; the sentence is cut.
 */
export function runtimeWords(message: string): RuntimeWords {
  // Removes control characters and line ends, which names of an upload may contain.
  const text = message
    .slice(0, messageLengthMax)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const running = /while running (\S+) node\. Name:'(.*?)' Status Message: (.*)$/u.exec(text);
  if (running !== null) return { place: placeOf(running[2]!, running[1]!), sentence: sentenceOf(running[3]!) };
  return invalidNode(text) ?? { place: undefined, sentence: versionSentence(text) ?? sentenceOf(text) };
}

/** `In Node, ("name", Operator, "domain", version) : (its inputs) -> (its outputs) , Error why`. */
function invalidNode(text: string): RuntimeWords | undefined {
  const node = /In Node, \("([^"]*)", ([^\s,]+), /u.exec(text);
  const error = text.lastIndexOf(errorMark);
  if (node === null || error < node.index) return undefined;
  return { place: placeOf(node[1]!, node[2]!), sentence: sentenceOf(text.slice(error + errorMark.length)) };
}

const errorMark = ' , Error ';

function placeOf(name: string, opType: string): string {
  return name === '' ? `an operator without a name (${opType})` : `node ${quoteName(name)} (${opType})`;
}

/** For a graph that is too new. */
function versionSentence(text: string): string | undefined {
  const opset = /Opset (\d+) is under development.*for domain (\S+) is till opset (\d+)/u.exec(text);
  if (opset !== null)
    return (
      `The graph uses opset ${opset[1]} of ${opset[2]}, and the newest that the runtime supports is ` +
      `${opset[3]}; export it with \`opset_version=${opset[3]}\` or less.`
    );
  const version = /Unsupported model IR version: (\d+), max supported IR version: (\d+)/u.exec(text);
  return version === null
    ? undefined
    : `The graph has IR version ${version[1]}, and the newest that the runtime supports is ${version[2]}.`;
}

function sentenceOf(text: string): string {
  const words = withoutSource(text)
    .replace(/^(This is an invalid model\.|Fatal error:|Load model from .*? failed:)\s*/u, '')
    .replace(/0x[0-9a-f]+/giu, '')
    .split(' ')
    .filter((word) => word !== '' && !isSourcePath(word))
    .join(' ');
  if (words === '') return '';
  const cut = words.length > sentenceLengthMax ? `${words.slice(0, sentenceLengthMax)}...` : words;
  return /[.!?]$/u.test(cut) ? cut : `${cut}.`;
}

function isSourcePath(word: string): boolean {
  return word.includes('/') && /\.(cc|h|cpp|hpp|cu|cuh)(?![a-z])/u.test(word);
}

/**
 * Removes a place in the sources, the function it is in (with its parameters, or by its name alone), and the condition
 * that failed.
 */
function withoutSource(text: string): string {
  const source = /^(\S*[\\/])?[\w-]+\.(cc|h|cpp|hpp|cu|cuh):\d+ /u.exec(text);
  if (source === null) return text;
  const rest = text.slice(source[0].length);
  const failed = / was false\. ?/u.exec(rest);
  if (failed !== null) return rest.slice(failed.index + failed[0].length);
  const parameters = parametersEnd(rest);
  return parameters === undefined
    ? rest.replace(/^\w+ /u, '')
    : rest.slice(parameters).replace(/^ ?(const)? ?(\[with .*?\])? ?/u, '');
}

/** End of the parameters of a signature at the beginning of a text; undefined if there is none. */
function parametersEnd(text: string): number | undefined {
  const start = text.indexOf('(');
  if (start < 0 || !text.slice(0, start).includes('::')) return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth === 0 && text[at + 1] !== '(') return at + 1;
  }
  return undefined;
}
