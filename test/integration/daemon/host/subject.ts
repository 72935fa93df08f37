import type { Host } from '../../../../src/daemon/host/host.ts'

/** A machine under test, and what others than the daemon can do to it. */
export interface Subject {
  readonly host: Host
  /** Goes down and comes up again, if it was asked to; gives the machine as it is then. */
  reboot(): Promise<Host>
  /** A pipe with nobody at its other end. */
  plantPipe(path: string): Promise<void>
  /** A symbolic link of some user; absent where that cannot be arranged. */
  plantLink?: (path: string, target: string, owner: number) => Promise<void>
  close(): Promise<void>
}

export type OpenSubject = () => Promise<Subject>
