/** Limits of a safetensors header. */
export interface SafetensorsLimits {
  /** Longest JSON part, in bytes. */
  readonly headerBytesMax: number;
  readonly tensorCountMax: number;
  /** Longest tensor name, in UTF-16 code units. */
  readonly nameLengthMax: number;
  /** Most dimensions of one tensor. */
  readonly rankMax: number;
}

export const defaultSafetensorsLimits: SafetensorsLimits = {
  /** The reference implementation refuses more, so no file that others can load is lost. */
  headerBytesMax: 100_000_000,
  /** Ten times the tensors of the largest mixture-of-experts models; parsed entries stay below 300 MB. */
  tensorCountMax: 1_000_000,
  /** Real names stay below 200; a name ends up in URLs and in error sentences. */
  nameLengthMax: 1024,
  /** NumPy's largest rank. */
  rankMax: 64,
};

/** The bytes of the length field before the JSON. */
export const headerLengthBytes = 8;
