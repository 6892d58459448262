/**
 * Test files of the rooms that need a process of their own (vitest.config.ts): they replace modules, or measure the
 * memory of their process, in which the modules and the garbage of other files would count.
 */
export const testsAlone: readonly string[] = [
  'src/checkpoint/safetensors/parse-safetensors.test.ts',
  'src/evaluate/batches/reference-file.test.ts',
  'src/graph/describe-graph-file.test.ts',
  'src/graph/describe-graph.test.ts',
  'src/http/hub/hostile-uploads.test.ts',
  'src/http/hub/ndjson.test.ts',
  'src/ingest/stage/checked-body.test.ts',
  'src/native/calls/run-job.test.ts',
  'src/package/package-index.test.ts',
  'src/store/filesystem/filesystem-store.test.ts',
  'src/store/s3/s3-store.test.ts',
];
