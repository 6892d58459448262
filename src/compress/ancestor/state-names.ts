/** A package in the store. */
export interface StoredPackage {
  /**
   * Key of its object. No other package is ever written under the key of a committed one, and that of another worker,
   * or of another attempt, has another key.
   */
  readonly key: string;
  /** Of the checkpoint in it: a merged package has several. */
  readonly id: string;
}

/**
 * How the names begin under which a device holds the states that a package's blocks leave behind; the numbers of a file
 * and a block in it follow (`stateName`). Without an id: of whatever is in the object.
 */
export function stateNames({ key, id }: Pick<StoredPackage, 'key'> & Partial<StoredPackage>): string {
  return id === undefined ? `package:${key}/` : `package:${key}/${id}/`;
}

/** The name of the state that one block leaves behind, the same for all that build on it. */
export function stateName(stored: StoredPackage, at: { readonly file: number; readonly index: number }): string {
  return `${stateNames(stored)}${at.file}/${at.index}`;
}
