import { filePathPattern, namePattern, pathLengthMax } from '../../src/checkpoint/names.ts';

const checkpoint = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}';
const readingAStep = [
  `GET ${checkpoint}`,
  ...['/events', '/files/{path}', '/package', '/tensors/{tensor}', '/trials'].map((part) => `GET ${checkpoint}${part}`),
  ...['/files/{path}', '/package', '/tensors/{tensor}'].map((part) => `HEAD ${checkpoint}${part}`),
];

/** Breaking changes since openapi/released.json that are intended: the sentence of the test, and why clients pay it. */
export const intendedChanges: readonly { readonly change: string; readonly reason: string }[] = readingAStep.map(
  (operation) => ({
    change: `${operation} path step: pattern is now ^(?:0|[1-9]\\d{0,14}|latest)$`,
    reason: 'Every number that was a step still is one; the word `latest` is accepted beside them.',
  }),
);

/** Limits that the hub always had and the document says since: ends of sentences of the test, wherever they are. */
export const limitsNowTold: readonly { readonly change: string; readonly reason: string }[] = [
  { change: `pattern is now ${namePattern}`, reason: 'Other names were always refused.' },
  { change: `pattern is now ${filePathPattern}`, reason: 'Other paths were always refused.' },
  { change: `maxLength is now ${pathLengthMax}`, reason: 'Longer paths were always refused.' },
];
