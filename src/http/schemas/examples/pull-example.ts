/** What a client that has step 1100 needs for step 1200: one of two packages. */
export const pullExample = {
  revision: '663f9e07043140ad6a9a5930947e1e90e4ee7371',
  files: [
    {
      path: 'model.safetensors',
      sizeBytes: 1788504,
      sha256: '758f3aa0aabba6fcbd72a90fa444b524adc2f4e8a7babfa5526d4f836215b50f',
      href: '/acme/lm-small/resolve/663f9e07043140ad6a9a5930947e1e90e4ee7371/model.safetensors',
      package: {
        id: '12361b94d9e34dc18b09b365babcc933',
        path: 'model.safetensors',
      },
    },
  ],
  packages: [
    {
      id: '47be3699dbaa46079ba7c5f7b6c39e73',
      sizeBytes: 183949,
      holds: ['47be3699dbaa46079ba7c5f7b6c39e73'],
      etag: '"47be3699dbaa46079ba7c5f7b6c39e73"',
      href: '/v1/repositories/acme/lm-small/packages/47be3699dbaa46079ba7c5f7b6c39e73',
      held: true,
    },
    {
      id: '12361b94d9e34dc18b09b365babcc933',
      ancestorId: '47be3699dbaa46079ba7c5f7b6c39e73',
      sizeBytes: 38293,
      holds: ['12361b94d9e34dc18b09b365babcc933'],
      etag: '"12361b94d9e34dc18b09b365babcc933"',
      href: '/v1/repositories/acme/lm-small/packages/12361b94d9e34dc18b09b365babcc933',
      held: false,
    },
  ],
};
