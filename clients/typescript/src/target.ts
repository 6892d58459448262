/** What a person names on a command line: a repository, a run of it, or a checkpoint of that. */
export interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly run?: string | undefined;
  /** A step, or `latest`: the newest ready checkpoint of the run. */
  readonly step?: number | 'latest' | undefined;
}

/** Longest text that is parsed, in characters. */
const targetLengthMax = 400;
const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const stepPattern = /^(?:0|[1-9]\d{0,14})$/;

/** Parses `namespace/name`, `namespace/name/run`, or `namespace/name/run@step`. Throws an Error with one sentence. */
export function parseTarget(text: string): Target {
  const refuse = (): never => {
    throw new Error(
      `"${text.slice(0, 100)}" names nothing: write NAMESPACE/NAME, NAMESPACE/NAME/RUN or ` +
        'NAMESPACE/NAME/RUN@STEP, such as ' +
        'me/tiny-gpt/train@900 or me/tiny-gpt/train@latest.',
    );
  };
  if (text.length > targetLengthMax) refuse();
  const at = text.lastIndexOf('@');
  const [path, label] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const [namespace, name, run, ...more] = path.split('/');
  const parts = [namespace, name, ...(run === undefined ? [] : [run])];
  if (more.length > 0 || !parts.every((part) => part !== undefined && segment.test(part))) refuse();
  if (label === undefined) return { namespace: namespace!, name: name!, ...(run !== undefined && { run }) };
  if (run === undefined || (label !== 'latest' && !stepPattern.test(label))) refuse();
  return { namespace: namespace!, name: name!, run: run!, step: label === 'latest' ? 'latest' : Number(label) };
}

/** The text that `parseTarget` reads. */
export function formatTarget({ namespace, name, run, step }: Target): string {
  return [namespace, name, ...(run === undefined ? [] : [run])].join('/') + (step === undefined ? '' : `@${step}`);
}
