/** Security labels, on machines that use them. */
export interface SecurityLabels {
  /**
   * Sets the label of a new file or directory that will be at `path`: the label of the file that it replaces, or that of the
   * policy. Other processes can access it at `temporaryPath`.
   */
  apply(temporaryPath: string, path: string, as: LabelTarget): Promise<void>
}

/** A new file or directory, or the replacement of a file. */
export type LabelTarget = 'file' | 'directory' | 'replacement'
