/**
 * How a tensor of optimizer state is coded: levels evenly spaced in their logarithm; steps of a share of the root of
 * the second moment; steps of a share of the row's root mean square; BitSnap's clusters (section 3.4).
 */
export const stateEncodings = ['secondMoment', 'firstMoment', 'momentum', 'clusters'] as const;
export type StateEncoding = (typeof stateEncodings)[number];
