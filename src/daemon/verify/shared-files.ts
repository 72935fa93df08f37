/** Files that MachineConfigs share with another writer, the trust lane. */
export interface SharedFiles {
  /**
   * Whether the current file stays although an update would replace it. `content` is the content that the update would
   * write; without it, the update would remove the file.
   */
  keepsCurrent(path: string, content?: () => Uint8Array | Promise<Uint8Array>): Promise<boolean>
  /** Runs `work` while no other writer changes this file. */
  runExclusive<T>(path: string, work: () => Promise<T>): Promise<T>
}

export const noSharedFiles: SharedFiles = {
  keepsCurrent: () => Promise.resolve(false),
  runExclusive: (_path, work) => work(),
}
