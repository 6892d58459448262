// Taken from what a hub answered while it took two steps of examples/lm-small; figures rounded.

/** A checkpoint that waits to be compressed. */
export const queuedExample = {
  run: 'train',
  step: 1200,
  sequence: 1,
  state: 'queued',
  revision: '663f9e07043140ad6a9a5930947e1e90e4ee7371',
  thresholds: {
    loss: 0.005,
  },
  cancelRequested: false,
  createdAt: '2026-01-02T03:04:37.658Z',
  committedAt: '2026-01-02T03:04:37.891Z',
  href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200',
};

/** A checkpoint that is ready, without its files. */
export const checkpointExample = {
  run: 'train',
  step: 1200,
  sequence: 1,
  state: 'ready',
  revision: '663f9e07043140ad6a9a5930947e1e90e4ee7371',
  thresholds: {
    loss: 0.005,
  },
  cancelRequested: false,
  result: {
    fidelity: 'lossy',
    config: {
      method: 'residual',
      step: -45,
      stepSize: 0.3773,
    },
    kind: 'delta',
    ancestorRun: 'train',
    ancestorStep: 1100,
    chainLength: 2,
    rawBytes: 1788504,
    storedBytes: 38329,
    measuredOn: 'cpu',
    encodedOn: 'cpu',
    baseline: {
      loss: 4.5496,
    },
    measured: {
      loss: 4.5694,
    },
    degradation: {
      loss: 0.0043477,
    },
    limits: {
      loss: {
        boundBy: 'relative',
        degradationMax: 0.005,
      },
    },
    asGoodAs: {
      step: 1153.4,
      metric: 'loss',
      lagSteps: 46.558,
      beforeFirst: false,
    },
    observed: {
      agreement: {
        kind: 'agreement',
        baseline: 1,
        measured: 0.83545,
        degradation: 0.16455,
      },
    },
    understood: [
      '48 rows in 3 batches; fed: "idx" from "inputs" (I64 [48, 128]).',
      '"loss": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; ' +
        '4.5496 (6.9315 for guessing).',
    ],
    warnings: [
      '"agreement" is not bounded and fell to 0.8354; the largest threshold is 0.5 %. A threshold on it would hold it.',
    ],
    migration: 0.13017,
    roundingError: 0.30528,
    trialCount: 1,
    seconds: {
      read: 0.2,
      search: 1.2,
      encode: 0.1,
      verify: 0.8,
    },
  },
  createdAt: '2026-01-02T03:04:37.658Z',
  committedAt: '2026-01-02T03:04:37.891Z',
  finishedAt: '2026-01-02T03:04:42.156Z',
  href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200',
};

/** The same with its files and its package. */
export const checkpointDetailsExample = {
  ...checkpointExample,
  files: [
    {
      path: 'model.safetensors',
      role: 'model',
      received: true,
      uploaded: {
        sizeBytes: 1788504,
        sha256: '3a46cbd487f169630ca11eb5adee9a92ecddc760743015ea65a12cdafe34d076',
        href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors?as=uploaded',
      },
      rebuilt: {
        sizeBytes: 1788504,
        sha256: '758f3aa0aabba6fcbd72a90fa444b524adc2f4e8a7babfa5526d4f836215b50f',
        href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors',
      },
    },
  ],
  package: {
    id: '12361b94d9e34dc18b09b365babcc933',
    kind: 'delta',
    sizeBytes: 38293,
    storedBytes: 38329,
    chainLength: 2,
    href: '/v1/repositories/acme/lm-small/packages/12361b94d9e34dc18b09b365babcc933',
    ancestorId: '47be3699dbaa46079ba7c5f7b6c39e73',
    ancestorHref: '/v1/repositories/acme/lm-small/packages/47be3699dbaa46079ba7c5f7b6c39e73',
  },
  evalSet: 'held-out',
  links: {
    trials: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/trials',
    events: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/events',
  },
};

/** A config that was tried, and passed. */
export const trialExample = {
  number: 1,
  ordinal: 0,
  search: 1,
  config: {
    method: 'residual',
    step: -45,
    stepSize: 0.3773,
  },
  estimatedBytes: 37867,
  measuredOn: 'cpu',
  metrics: {
    loss: 4.5694,
  },
  degradation: {
    loss: 0.0043477,
  },
  standardError: {
    loss: 0.00054577,
  },
  observed: {
    'kl-divergence': 0.015422,
  },
  passed: true,
  seconds: 1.02,
};

/** A file that has arrived. */
export const reservedExample = {
  ...queuedExample,
  state: 'open' as const,
  missing: [
    {
      path: 'model.safetensors',
      href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors',
    },
  ],
};

export const fileReceiptExample = {
  path: 'model.safetensors',
  role: 'model',
  sizeBytes: 1788504,
  sha256: '3a46cbd487f169630ca11eb5adee9a92ecddc760743015ea65a12cdafe34d076',
  href: '/v1/repositories/acme/lm-small/runs/train/checkpoints/1200/files/model.safetensors',
};

/** What a client reads that follows a checkpoint. */
export const eventsExample =
  'event: state\ndata: {"run":"train","step":1200,"state":"working"}\n\n' +
  'event: phase\ndata: {"phase":"search"}\n\n' +
  'id: 1\nevent: trial\ndata: {"number":1,"passed":true}\n\n' +
  'id: 1\nevent: state\ndata: {"run":"train","step":1200,"state":"ready"}\n\n';
