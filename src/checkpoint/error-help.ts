import type { FirnErrorCode } from './firn-error.ts';

/** Explanation of an error code for a person who meets it for the first time. */
export interface ErrorHelp {
  /** How it comes about. */
  readonly cause: string;
  /** How to resolve it. */
  readonly remedy: string;
  /** A typical case. */
  readonly example: string;
}

const help = (cause: string, remedy: string, example: string): ErrorHelp => ({ cause, remedy, example });

const sendItWhole = 'Compare the file with its source, write it again with the safetensors library, and send that.';
const askOperator = 'Give the request id to whoever runs the server: its log has the reason.';
const lookAtEvaluation =
  'Run the graph with one batch under ONNX Runtime on your machine, correct the eval set, and commit it again.';

/** Every error code, explained. Adding a code without a row here does not compile. */
export const errorHelp: Readonly<Record<FirnErrorCode, ErrorHelp>> = {
  'invalid-request': help(
    'A name, a number or a field of the request is not what the operation takes.',
    'Read `detail`, which names the field, and compare the request with /openapi.json.',
    'POST /v1/repositories with an empty namespace.',
  ),
  unauthenticated: help(
    'The request has no token where one is needed, or its token is unknown, revoked or expired.',
    'Send `Authorization: Bearer <token>`; make a new token where the old one has ended.',
    'A push with a token whose expiresAt has passed.',
  ),
  forbidden: help(
    'The token is valid, but has no scope for this.',
    'Ask an administrator for a token with the scope that `detail` names.',
    'PUT of a file with a token that may only read.',
  ),
  'rate-limited': help(
    'One token or one address has sent more requests in a minute than the server takes, or has too many in ' +
      'work at once.',
    'Wait as many seconds as Retry-After says. Send fewer requests at once.',
    'A script that asks for the state of a checkpoint a thousand times a second.',
  ),
  'quota-exceeded': help(
    'The namespace stores as many bytes as its quota allows.',
    'Delete checkpoints that nobody needs, or ask an administrator for a larger quota.',
    'An upload of 2 GB to a namespace with 1 GB left.',
  ),
  'not-found': help(
    'There is no such thing, or the token may not see it: both look the same.',
    'Check the spelling of the path, and that the token may read the repository.',
    'GET of a step that was never uploaded.',
  ),
  conflict: help(
    'The thing is in a state in which this cannot be done.',
    'Read it again, then do what its state allows.',
    'Creating a repository that exists.',
  ),
  'method-not-allowed': help(
    'The path exists, but does not know the method.',
    'Use one of the methods that Allow names.',
    'DELETE of /healthz.',
  ),
  'payload-too-large': help(
    'The body, or the file it is part of, is larger than the server takes.',
    'Split the file into shards, or ask the operator to raise FIRN_FILE_MAX_MIB.',
    'A JSON body of 10 MiB.',
  ),
  'length-required': help(
    'The size of the body is not known before it arrives, and here it has to be.',
    'Send Content-Length, or announce the size with the reservation.',
    'A PUT with chunked encoding of a file that is no safetensors file.',
  ),
  'length-mismatch': help(
    'More or fewer bytes arrived than Content-Length, the reservation or the safetensors header announced.',
    'Look whether the file was still being written, then send it again.',
    'A file of 100 bytes whose header describes 120.',
  ),
  'digest-mismatch': help(
    'The bytes have another SHA-256 or SHA-512 than the request or the reservation announced.',
    'Compute the digest of the file anew. Where it was right, the bytes changed on their way: send them again.',
    'Repr-Digest of the file of yesterday with the bytes of today.',
  ),
  'checksum-mismatch': help(
    'The bytes of one request of a resumable upload have another checksum than Upload-Checksum says. None of ' +
      'them was kept.',
    'Ask for Upload-Offset with HEAD and send from there again.',
    'A PATCH whose bytes were changed by a proxy.',
  ),
  'range-not-satisfiable': help(
    'The range begins behind the end of the file.',
    'Ask with HEAD for the length, which Content-Range of this answer also says.',
    'Range: bytes=1000- of a file of 500 bytes.',
  ),
  'precondition-failed': help(
    'If-Match names another version of the thing or file than there is now, If-None-Match: * one that exists, or the ' +
      'request speaks another version of tus.',
    'Read it and its ETag anew and decide again, or send Tus-Resumable: 1.0.0.',
    'Two people change the thresholds of a run that both have read: the second one gets this.',
  ),
  'idempotency-conflict': help(
    'The Idempotency-Key was used for another request, or the first request with it still runs.',
    'Use a new key for a new request; for the same one wait and send it again.',
    'Two runs created with one key.',
  ),
  'upload-incomplete': help(
    'Files or parts that were announced have not arrived.',
    'Send those that `detail` names, then commit or complete again.',
    'A commit with one of two announced shards.',
  ),
  'upload-aborted': help(
    'The connection ended, or was silent for a minute, before the whole body had arrived.',
    'Send it again, or use a resumable upload, which goes on where it stopped.',
    'A laptop that lost its network.',
  ),
  'upload-busy': help(
    'Another request writes the same resumable upload at this moment.',
    'Wait as Retry-After says, ask for Upload-Offset with HEAD, and go on from there.',
    'A client that tries again while its first request still ends.',
  ),
  'body-too-slow': help(
    'Over a minute of waiting the body brought fewer bytes than FIRN_UPLOAD_BYTES_PER_S_MIN asks for.',
    'Use a faster connection, or a resumable upload: ask for Upload-Offset with HEAD and send the rest. What ' +
      'was acknowledged stays.',
    'A body that comes one byte a second.',
  ),
  'empty-body': help(
    'The request needs a body and has none.',
    'Send the bytes of the file; look whether it is empty on your disk.',
    'PUT of a file of 0 bytes.',
  ),
  'unsupported-media-type': help(
    'The Content-Type or Content-Encoding is none that the operation takes.',
    'Send JSON as application/json, and files as they are: not compressed, not as a form.',
    'curl --form with a checkpoint.',
  ),

  'header-truncated': help(
    'The file ends inside its safetensors header.',
    sendItWhole,
    'A copy that was cut after 100 bytes.',
  ),
  'header-too-large': help(
    'The safetensors header is larger than any real one.',
    sendItWhole,
    'A file whose first 8 bytes are no length but text.',
  ),
  'header-invalid': help(
    'The safetensors header is no JSON of the expected form.',
    sendItWhole,
    'A tensor without a shape.',
  ),
  'tensor-overlap': help('Two tensors share bytes.', sendItWhole, 'Offsets [0, 8] and [4, 12].'),
  'tensor-gap': help(
    'There are bytes between or behind the tensors that belong to none.',
    sendItWhole,
    'Offsets [0, 4] and [8, 12].',
  ),
  'tensor-size-mismatch': help(
    'The offsets of a tensor give another size than its shape and dtype.',
    sendItWhole,
    'An F32 of shape [2] with 4 bytes.',
  ),
  'tensor-duplicate': help(
    'A name occurs twice, in one file or in two of a checkpoint.',
    'Name each tensor once over all shards.',
    'Two shards with `lm_head.weight`.',
  ),
  'dtype-unknown': help(
    'A tensor has a dtype that the server does not know.',
    'Convert it to one of the dtypes of safetensors, such as BF16.',
    'dtype "F24".',
  ),
  'not-safetensors': help(
    'The role of the file asks for safetensors, and its bytes are none.',
    'Convert it with `safetensors.torch.save_file`, or give it the role `other`.',
    'A PyTorch pickle as model.safetensors.',
  ),
  'layout-mismatch': help(
    'Names, shapes or dtypes differ from those of the checkpoints before in the run.',
    'Begin a new run for another architecture.',
    'A layer that was added between two steps.',
  ),
  'step-exists': help(
    'The step is there with other bytes.',
    'Use another step, or delete the checkpoint first.',
    'Step 1000 pushed twice, with training in between.',
  ),
  'run-not-ready': help(
    'The run does not take checkpoints now.',
    'Look at the run; wait for its eval set, or create it anew.',
    'A push to a run that is being deleted.',
  ),
  'run-closed': help(
    'The run was closed: its last checkpoint was said to be final.',
    'Open it again with PATCH and {"final": false}, or fork it.',
    'A training job that goes on after it pushed a step with `?final=true`.',
  ),
  'checkpoint-not-ready': help(
    'The checkpoint is still being uploaded or compressed.',
    'Wait as Retry-After says, or follow its events. Uploaded bytes can be had with ?as=uploaded.',
    'A download a second after the push.',
  ),
  'checkpoint-failed': help(
    'The checkpoint could not be compressed; its uploaded bytes are still there.',
    'Read `error` of the checkpoint, mend what it says, and POST its retry.',
    'A download of a checkpoint whose evaluation crashed.',
  ),

  'graph-invalid': help(
    'The file is no ONNX graph that can be run, or is larger than the limits.',
    'Check it with onnx.checker and export it again.',
    'A graph with an unknown operator.',
  ),
  'graph-external-data': help(
    'The graph keeps data in files beside it.',
    'Export it in one file; weights that come from the checkpoint need not be in it.',
    'torch.onnx.export with external_data=True.',
  ),
  'graph-missing-weights': help(
    'The graph has weights that no tensor of the checkpoint fills.',
    'Give `weights` of the eval set for those that `detail` names, or keep their values in the graph.',
    'A graph exported under other parameter names.',
  ),
  'eval-input-mismatch': help(
    'A batch has an input that the graph does not take, or of another shape or dtype.',
    lookAtEvaluation,
    'input_ids as F32.',
  ),
  'eval-label-mismatch': help(
    'Labels do not fit what the metric reads.',
    lookAtEvaluation,
    'Class 10 of a classifier with 10 classes, which are 0 to 9.',
  ),
  'eval-timeout': help(
    'One evaluation took longer than FIRN_EVAL_DEADLINE_S.',
    'Use fewer or smaller batches, or ask the operator to raise it.',
    'A thousand batches on two cores.',
  ),
  'eval-memory': help(
    'One evaluation took more memory than FIRN_EVAL_MEMORY_MIB.',
    'Use smaller batches, or ask the operator to raise it.',
    'A batch of 512 long sequences.',
  ),
  'eval-crashed': help(
    'The process of the evaluation ended with an error.',
    lookAtEvaluation,
    'A division of two shapes that do not fit.',
  ),
  'eval-device': help(
    'The run requires a GPU, and the evaluation failed on it, or no worker has one any more.',
    'Retry the checkpoint; if the GPU has too little memory, let the run prefer one: `device: "preferred"`.',
    'A model that takes more memory than the GPU has.',
  ),
  'eval-set-not-ready': help(
    'The eval set has not been committed, or was refused.',
    'Upload graph and batches and commit it; read `error` where it failed.',
    'A run created before its eval set.',
  ),
  'metric-unknown': help(
    'There is no metric of this name.',
    'Use one of those that docs/guide/eval-sets.md lists.',
    'Metric "acurracy".',
  ),

  'corrupt-object': help(
    'Bytes in the storage are not those that were written.',
    askOperator,
    'A disk that flipped a bit.',
  ),
  'corrupt-package': help(
    'A stored package does not decode.',
    askOperator,
    'A package that was cut by a failing disk.',
  ),
  'unsupported-format': help(
    'A package or the database was written by a newer version.',
    'Run the newer version.',
    'A rollback after an upgrade.',
  ),

  'storage-full': help(
    'The disk or the bucket takes no more.',
    'Try again after Retry-After; the operator makes room.',
    'A push to a full disk.',
  ),
  unavailable: help('The storage does not answer.', 'Try again after Retry-After.', 'A bucket whose server restarts.'),
  overloaded: help(
    'More is waiting than the server takes, or the database is out of reach.',
    'Try again after Retry-After.',
    'A hundred pushes at once to one run.',
  ),
  cancelled: help(
    'Somebody cancelled the work.',
    'Delete the checkpoint and push the step again to do it after all. Its upload is at ?as=uploaded.',
    'A checkpoint that was cancelled while it was compressed.',
  ),
  'native-failure': help(
    'The codec failed in a way that nobody planned for.',
    askOperator,
    'A defect of the native core.',
  ),
  internal: help('The server failed in a way that nobody planned for.', askOperator, 'A defect of the server.'),
};
