import type { Host } from '../../../../src/daemon/host/host.ts'

/** A machine under test, and changes by others. */
export interface Subject {
  readonly host: Host
  /** Performs the requested reboot. Returns the machine afterwards. */
  reboot(): Promise<Host>
  /** Creates a pipe without a reader or writer. */
  addPipe(path: string): Promise<void>
  /** Creates a symbolic link of some user; absent if the test cannot do that. */
  addLink?: (path: string, target: string, owner: number) => Promise<void>
  close(): Promise<void>
}

export type OpenSubject = () => Promise<Subject>
