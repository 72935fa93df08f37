/** Files that others than configs look after, too. */
export interface KeptFiles {
  /** Whether what is there stays although an update would bring something else; undefined: would take it away. */
  keeps(path: string, brought?: () => Uint8Array | Promise<Uint8Array>): Promise<boolean>
  /** Runs while nobody else writes this file. */
  alone<T>(path: string, work: () => Promise<T>): Promise<T>
}

/** Where configs are alone. */
export const nothingKept: KeptFiles = {
  keeps: () => Promise.resolve(false),
  alone: (_path, work) => work(),
}
