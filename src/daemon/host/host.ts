import type { OsCapabilities } from '../../planner/os-capabilities.ts'

/**
 * A machine, as far as the daemon touches one. Paths are absolute and as processes on that machine see them, wherever its
 * root is mounted for us. Every operation is idempotent, and durable when its promise resolves. What fails throws a
 * `HostFailure` that names the path, unit or command, and leaves things as they were before.
 */
export interface Host {
  readonly files: HostFiles
  readonly units: HostUnits
  readonly accounts: HostAccounts
  readonly os: HostOs
  readonly power: HostPower
  readonly images: HostImages
}

export interface Ownership {
  readonly uid: number
  readonly gid: number
}

/** What is at a path. A link at the end is not followed. */
export type Entry =
  | (Ownership & { readonly type: 'file'; readonly mode: number; readonly size: number })
  | (Ownership & { readonly type: 'directory'; readonly mode: number })
  | (Ownership & { readonly type: 'symlink'; readonly target: string })
  /** A device, socket or pipe: never read, never written. */
  | { readonly type: 'other' }

export interface NewFile extends Ownership {
  readonly content: Uint8Array
  /** 0 to 0o7777. */
  readonly mode: number
}

export interface NewDirectory extends Ownership {
  readonly mode: number
}

/**
 * The file system. Links above the last part of a path are followed as on the machine itself, so never out of its root,
 * not even when somebody swaps a directory for a link in between; links that ordinary users can change are not followed at
 * all. Below something that is not a directory there is nothing.
 */
export interface HostFiles {
  look(path: string): Promise<Entry | undefined>
  /** The content of a regular file; anything else at that path, or more than `limit` bytes, is a failure. */
  read(path: string, limit?: number): Promise<Uint8Array>
  /** The names in a directory, sorted; empty where there is none. */
  list(path: string): Promise<string[]>
  /**
   * Replaces the file or link that is there, whole or not at all: nobody ever sees half of it, nor wider permissions than
   * asked for. Keeps the security label of what it replaces. Its directory must exist.
   */
  write(path: string, file: NewFile): Promise<void>
  /** Adds to the end of a file that only the daemon writes. */
  append(path: string, content: Uint8Array): Promise<void>
  /** A symbolic link; replaces as `write` does. */
  link(path: string, target: string): Promise<void>
  /** A file, link, device or pipe, not a directory. Nothing there is fine. */
  remove(path: string): Promise<void>
  /**
   * Removes what a crash in the middle of an operation on this path may have left beside it. The path stays as it is, and
   * durably so.
   */
  tidy(path: string): Promise<void>
  /** A file or link, within one file system; replaces the one that is there. That it was moved before is fine. */
  move(from: string, to: string): Promise<void>
  /** One directory; those above must exist. One that is there stays as it is. */
  makeDirectory(path: string, directory: NewDirectory): Promise<void>
  /** Only if it is empty; tells whether it is gone. */
  removeDirectory(path: string): Promise<boolean>
  /** Permissions and owner of a directory or file that is there. */
  change(path: string, to: NewDirectory): Promise<void>
  /** Calls back soon after something at one of these paths changed, however; also when it may have missed something. */
  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch
}

export interface Watch {
  close(): void
}

export type UnitEnablement =
  'enabled' | 'disabled' | 'masked' | 'static' | 'linked' | 'alias' | 'generated' | 'not-found'

/** systemd. The first four work on disk only; none at all is fine. */
export interface HostUnits {
  enable(units: readonly string[]): Promise<void>
  /** No link starts these any more, whether their files are still there or not. */
  disable(units: readonly string[]): Promise<void>
  /** To what the presets say; a unit that is not there is passed over. */
  preset(units: readonly string[]): Promise<void>
  enablement(unit: string): Promise<UnitEnablement>
  daemonReload(): Promise<void>
  reload(unit: string): Promise<void>
  restart(unit: string): Promise<void>
  /** Whether it runs; or, for one that does its work and ends, whether it ended well. */
  healthy(unit: string): Promise<boolean>
  /** Names the last start of its main process: another name after each start in this boot. Undefined: it was not started yet. */
  started(unit: string): Promise<string | undefined>
}

export interface Account extends Ownership {
  readonly home: string
}

export interface HostAccounts {
  user(name: string): Promise<Account | undefined>
  group(name: string): Promise<number | undefined>
  /** As in /etc/shadow; undefined for a user that is not there. */
  passwordHash(user: string): Promise<string | undefined>
  setPasswordHash(user: string, hash: string): Promise<void>
}

export interface OsFacts {
  /** Of os-release. */
  readonly id: string
  readonly versionId: string
  readonly variantId: string
  readonly architecture: string
  /** What the daemon can change of it. */
  readonly changes: OsCapabilities
  /** Absent where the kernel does not say. */
  readonly fips?: boolean
}

export interface OsDeployment {
  /** As it was asked for; absent where the OS is not made of images. */
  readonly image?: string
  /** One word each, in order. */
  readonly kernelArguments: readonly string[]
  readonly kernelType: string
  readonly extensions: readonly string[]
}

export interface OsState {
  readonly booted: OsDeployment
  /** What the next boot will bring, if that is something else. */
  readonly staged?: OsDeployment
}

/** How this boot came about, and what is on the machine beside its image. */
export interface BootReport {
  /** Why what was staged before the reboot is not what runs now, in the words of the tool that should have seen to it. */
  readonly finalizationFailure?: string
  /** Packages put on the image, or taken from it, that belong to no extension and no kernel. */
  readonly foreignPackages: readonly string[]
}

/** The operating system as one thing: rpm-ostree, bootc, ostree, or none of these. */
export interface HostOs {
  facts(): Promise<OsFacts>
  state(): Promise<OsState>
  /** The next boot brings exactly this; what runs now, too, may be asked for. Replaces what was staged before. */
  stage(deployment: OsDeployment): Promise<void>
  bootReport(): Promise<BootReport>
  /** Frees the room of what ran before, where one could go back to it without fetching it again. */
  dropRollback(): Promise<void>
}

export interface HostPower {
  /** Another one after each boot. */
  bootId(): Promise<string>
  /** Resolves when the machine has accepted it; `reason` is kept in its journal. */
  reboot(reason: string): Promise<void>
}

export type ContainerRuntime = 'crio' | 'containerd'

/** Container images, as the runtime of the machine has them. Images are named by digest: `registry/name@sha256:…`. */
export interface HostImages {
  /** Undefined where none runs that images could be kept with; everything else needs one. */
  runtime(): Promise<ContainerRuntime | undefined>
  /** Those of these that are on the machine. */
  present(images: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>
  /** How many bytes are free where images are stored. */
  room(): Promise<number>
  /** What a pull would bring, in bytes by layer, as they go over the line; undefined where nobody can tell. */
  layers(image: string, signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined>
  /** With the credentials and mirrors that the runtime has. Ended when the signal aborts. */
  pull(image: string, signal: AbortSignal): Promise<void>
  /** Whether exactly these are kept on our account. */
  keeps(images: readonly string[]): Promise<boolean>
  /** These are never removed to free room, and no others on our account. Those that others keep are none of our business. */
  keep(images: readonly string[]): Promise<void>
}
