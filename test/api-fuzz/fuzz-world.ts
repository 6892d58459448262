import { smallContents } from './small-contents.ts';

/** Stands for the namespace of one sequence of requests, so that sequences do not meet. */
export const namespaceMark = 'namespace-of-this-sequence';

function often<T>(value: T): readonly T[] {
  return [value, value, value, value, value];
}

/** Few names, so that requests meet what others made. `*` are keys of dictionaries: tensors and metrics. */
export const fewNames = {
  namespace: [namespaceMark],
  name: [...often('a'), 'b'],
  run: [...often('a'), 'b'],
  evalSet: [...often('a'), 'b'],
  step: [...often(0), 1, 2],
  path: ['model.safetensors', 'config.json', 'sub/notes.bin'],
  role: ['model', 'other', 'optimizer'],
  tensor: ['w', 'b', 'other'],
  number: [1, 2],
  metrics: [
    [{ name: 'loss', kind: 'loss', output: 'logits', labels: 'labels' }],
    [{ name: 'hits', kind: 'top-k-accuracy', output: 'logits', labels: 'labels', k: 2 }],
  ],
  sizeBytes: smallContents.map(({ bytes }) => bytes.length),
  sha256: smallContents.map(({ sha256 }) => sha256),
  grants: [['admin'], ['read'], [`write:${namespaceMark}`], [`read:${namespaceMark}/a`]],
  limit: [1, 2, 100],
  content: ['', ...smallContents.map(({ bytes }) => bytes.toString('base64'))],
  url: ['https://ci.example/firn'],
  secret: [`whsec_${Buffer.alloc(32).toString('base64')}`],
  '*': ['w', 'b', 'loss', '__proto__'],
} as const;

/** Values of parameters whose schema says only that they are text. */
const likelyParameters: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['a@0', 'a@1', 'b@latest'],
  check: ['a@0', 'a@1'],
  layerTypes: ['{"w":"linear"}', '{}'],
  expects: ['{"loss":1.5}'],
  final: ['true', '{"exact":true}'],
  uploadId: ['0'.repeat(32)],
  packageId: ['0'.repeat(32)],
  webhookId: ['0'.repeat(32)],
  messageId: ['1'],
  commit: ['true'],
  revision: ['main', 'a', 'step-0', '0'.repeat(40)],
  have: ['0'.repeat(40)],
  code: ['not-found'],
};

/** Names that the hub makes up, as its answers told them. */
export class FuzzWorld {
  readonly namespace: string;
  /** Sends as an Authorization field. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly #seen = new Map<string, string[]>();

  constructor(namespace: string, tokens: Readonly<Record<string, string>>) {
    this.namespace = namespace;
    this.tokens = tokens;
  }

  /** One of the values of a parameter, the newest first; undefined if none is known. */
  known(parameter: string, index: number): string | undefined {
    const names: Readonly<Record<string, readonly unknown[]>> = { ...fewNames, ...likelyParameters };
    const values = [...(this.#seen.get(parameter) ?? []), ...(names[parameter] ?? []).map(String)];
    return values.length === 0 ? undefined : this.placed(values[index % values.length]!);
  }

  /** Remembers what an answer tells of things that later requests can name. */
  learn(operationId: string, answer: { readonly headers: Headers; readonly json: unknown }): void {
    const found = answer.json as Record<string, unknown> | undefined;
    this.#remember('etag', answer.headers.get('etag'));
    if (typeof found !== 'object' || found === null) return;
    for (const name of ['revision', 'have']) this.#remember(name, found['revision']);
    if (operationId.includes('Upload')) this.#remember('uploadId', found['id']);
    if (operationId === 'createToken') this.#remember('tokenId', found['id']);
    if (operationId === 'createWebhook') this.#remember('webhookId', found['id']);
    if (operationId === 'pingWebhook') this.#remember('messageId', found['id']);
    this.#remember('packageId', (found['package'] as { id?: unknown } | undefined)?.id);
    for (const one of (found['packages'] as { id?: unknown }[] | undefined) ?? []) this.#remember('packageId', one.id);
    this.#remember('after', found['next']);
    this.#remember('code', found['code']);
  }

  /** A text with the namespace of this sequence. */
  placed(text: string): string {
    return text.replaceAll(namespaceMark, this.namespace);
  }

  #remember(parameter: string, value: unknown): void {
    if (typeof value !== 'string' || value === '') return;
    const others = (this.#seen.get(parameter) ?? []).filter((one) => one !== value);
    this.#seen.set(parameter, [value, ...others].slice(0, 4));
  }
}
