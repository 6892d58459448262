import { firnErrorCodes, type FirnErrorCode } from '../../../checkpoint/firn-error.ts';
import { problemKinds, type ProblemStatus } from '../../answer/problem-status.ts';

/** A sentence of each code, as a server says it. A code without one does not compile. */
const details: Readonly<Record<FirnErrorCode, string>> = {
  'invalid-request': 'The request is not valid. limit: must be a whole number from 1 to 1000.',
  unauthenticated:
    'The Authorization field holds no token that is valid here. Many such requests from one address block the others ' +
    'with a token from there, too.',
  forbidden: 'This needs the scope write.',
  'rate-limited':
    'This client sends too many requests. RateLimit-Policy says how many it may send a minute, ' +
    'Retry-After when to go on.',
  'quota-exceeded':
    'The namespace has no room left for this under its quota; delete checkpoints, or ask for a larger quota.',
  'not-found': 'There is no such run.',
  conflict: 'The repository exists already.',
  'method-not-allowed': 'This path answers GET, HEAD.',
  'payload-too-large': 'The body is larger than 1 MiB.',
  'length-required': 'The upload needs a Content-Length.',
  'length-mismatch': 'The body has 100 bytes; 120 were announced.',
  'digest-mismatch': 'The body has another sha-256 than announced.',
  'checksum-mismatch': 'The bytes have another sha1 than announced.',
  'range-not-satisfiable': 'The byte range lies outside the file.',
  'precondition-failed': 'The file has another ETag than If-Match asks for.',
  'idempotency-conflict': 'The Idempotency-Key was used for another request.',
  'upload-incomplete': '1 of 3 parts have not arrived.',
  'upload-aborted': 'The connection ended before the whole body had arrived.',
  'upload-busy': 'Another request writes this upload.',
  'body-too-slow': 'The body arrives too slowly.',
  'empty-body': 'The body is empty.',
  'unsupported-media-type': 'The body must be application/json.',
  'header-truncated': 'The file ends inside its safetensors header.',
  'header-too-large': 'The safetensors header announces 8386658438481404270 bytes; at most 100000000 are accepted.',
  'header-invalid': 'The safetensors header is not valid at byte 42: a tensor has no shape.',
  'tensor-overlap': 'Tensor "head.weight" starts inside another one.',
  'tensor-gap': '4 bytes before tensor "head.weight" belong to no tensor.',
  'tensor-size-mismatch': 'Tensor "head.weight" of F32 [2] does not fit its 4 bytes.',
  'tensor-duplicate': 'Tensor "head.weight" appears twice in the safetensors header.',
  'dtype-unknown': 'Tensor "head.weight" has the unknown dtype "F24".',
  'not-safetensors': 'The file is not safetensors.',
  'layout-mismatch': 'The tensor "head.weight" has the shape [1024, 128] here and [1024, 96] in step 1100.',
  'step-exists': 'The run has a checkpoint of step 1200 already.',
  'run-not-ready': 'The run does not take checkpoints now.',
  'run-closed':
    'The run is closed and takes no new steps. To go on with it, open it again: PATCH the run with {"final": false}.',
  'checkpoint-not-ready': 'The checkpoint is still being compressed. Its uploaded bytes are at ?as=uploaded.',
  'checkpoint-failed': 'The step to fork from is failed; fork from another.',
  'graph-invalid': 'The graph has no output.',
  'graph-external-data': 'Tensor "head.weight" of the graph refers to data outside the file.',
  'graph-missing-weights': 'The graph leaves initializers to be filled that nothing fills: "head.weight".',
  'eval-input-mismatch':
    'Input "idx" is fed from "idx", which the batches file does not have; it has "inputs" (I64 [48, 128]), ' +
    '"labels" (I64 [48, 128]).',
  'eval-label-mismatch':
    'Metric "loss" reads labels "targets", which the batches file does not have; it has "labels" (I64 [48, 128]).',
  'eval-timeout': 'The evaluation took longer than 600 s.',
  'eval-memory': 'The evaluation needs more memory than it is allowed.',
  'eval-crashed': 'The evaluation process ended unexpectedly.',
  'eval-device': 'The evaluation failed on the GPU.',
  'eval-set-not-ready': 'The eval set has not been committed, or its check failed.',
  'metric-unknown': 'Two metrics of the eval set have the same name.',
  'corrupt-object': 'A stored object is damaged, and kept from being read.',
  'corrupt-package': 'The stored package is damaged and cannot be read.',
  'unsupported-format': 'The package has a format version this server cannot read.',
  'storage-full': 'The storage takes no file as large as this.',
  unavailable: 'The storage takes too long to answer.',
  overloaded: 'The catalog is busy or out of reach; try again.',
  cancelled: 'The checkpoint was cancelled. Its uploaded bytes are at ?as=uploaded.',
  'native-failure': 'The server failed to answer this request. The request id finds the reason in its log.',
  internal: 'The server failed to answer this request. The request id finds the reason in its log.',
};

/** A problem of every code. */
export const problemExamples = firnErrorCodes.map((code) => ({
  type: `/problems/${code}`,
  title: problemKinds[code].title,
  status: problemKinds[code].status,
  code,
  detail: details[code],
  requestId: '6e1b0d0c-7c9c-4d0e-9b7a-0d6f3d1c2b3a',
}));

/** The first problem that is answered with a status. */
export function problemExample(status: ProblemStatus): (typeof problemExamples)[number] {
  return problemExamples.find((problem) => problem.status === status)!;
}
