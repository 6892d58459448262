/**
 * Limits of an uploaded graph. Each ensures that a small hostile file does not cost much more memory or time than its
 * size.
 */
export interface GraphLimits {
  /** Bytes of the file. */
  readonly sizeBytes: number;
  /** Bytes besides the data of tensors: nodes, names, shapes. Reading them takes some twelve times as much memory. */
  readonly outlineBytes: number;
  /** Messages inside messages; a subgraph takes three levels (node, attribute, graph). */
  readonly depth: number;
  /** Nodes over all graphs and functions. */
  readonly nodes: number;
  /** Tensors stored in the file: initializers, constants, attributes. */
  readonly tensors: number;
  /** Protobuf fields and packed list elements that the reader turns into values; about 100 bytes of memory each. */
  readonly fields: number;
  /** Dimensions of one tensor. */
  readonly rank: number;
}

/**
 * 2 GiB and depth 100 are protobuf's own bounds; the counts are some ten times those of the largest published exports.
 */
export const defaultGraphLimits: GraphLimits = {
  sizeBytes: 2 ** 31 - 1,
  outlineBytes: 16 * 2 ** 20,
  depth: 100,
  nodes: 100_000,
  tensors: 100_000,
  fields: 2_000_000,
  rank: 32,
};
