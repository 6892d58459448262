/** An upload in three parts, of which the first has arrived. */
export const uploadExample = {
  id: '482c5cb4409f4a46bd6d465655cab579',
  href: '/v1/repositories/acme/lm-small/uploads/482c5cb4409f4a46bd6d465655cab579',
  state: 'open',
  path: 'model.safetensors',
  sizeBytes: 20000000,
  receivedBytes: 8388608,
  partBytes: 8388608,
  partCount: 3,
  expiresAt: '2026-01-03T03:04:05.000Z',
};

/** That part. */
export const uploadPartExample = {
  number: 1,
  sizeBytes: 8388608,
  sha256: 'd19404dce91ecc7a66310ca8a293b5a7eafe9e9022944bc2b84931c35ee5f64d',
};
