/** Security labels, where the machine has them. */
export interface Labels {
  /**
   * Gives a fresh file or directory the label that belongs at `path`: that of the file it replaces, or the policy's. Other
   * processes can reach it as `fresh`, too.
   */
  apply(fresh: string, path: string, as: Labelled): Promise<void>
}

/** Something new, or a file in the place of another. */
export type Labelled = 'file' | 'directory' | 'replacement'
