/** An eval set of a small language model, ready. */
export const evalSetExample = {
  name: 'held-out',
  state: 'ready',
  spec: {
    inputs: {
      idx: 'inputs',
    },
    metrics: [
      {
        kind: 'cross-entropy',
        name: 'loss',
        labels: 'labels',
        output: 'logits',
      },
    ],
  },
  graph: {
    sizeBytes: 1892657,
    sha256: '374b53a833038f7a57f822dd1434878da6426c8bfebdcc104cec4198fa778282',
  },
  batches: {
    sizeBytes: 98536,
    sha256: '08a05fb41518e682fd1ef1f6119e3a25e6de30a04979fabeb1f8da0ba8966f21',
  },
  createdAt: '2026-01-02T03:04:26.939Z',
};

/** What measuring a checkpoint on it found. */
export const evalSetReportExample = {
  values: {
    loss: 4.5496,
  },
  understood: [
    '48 rows in 3 batches; fed: "idx" from "inputs" (I64 [48, 128]).',
    '"loss": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; ' +
      '4.5496 (6.9315 for guessing).',
  ],
  warnings: [],
  secondsPerEvaluation: 0.55,
};
