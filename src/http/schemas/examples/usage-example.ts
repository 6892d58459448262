/** Two checkpoints: packages, the kept upload of the newer, its eval set, an upload that is deleted soon. */
export const usageExample = {
  logicalBytes: 3577008,
  storedBytes: 5790735,
  stored: {
    packageBytes: 222314,
    stagedBytes: 0,
    rawBytes: 1788564,
    hubBytes: 0,
    evalSetBytes: 1991293,
    hiddenBytes: 0,
    pendingDeletionBytes: 1788564,
  },
  compressed: { checkpointCount: 2, rawBytes: 3577008, storedBytes: 222314, ratio: 16.09 },
  reservedBytes: 0,
  transferred: {
    receivedBytes: 5573840,
    sentBytes: 20412,
  },
};
