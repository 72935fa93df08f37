import type { OsCapabilities } from '../../planner/model/os-capabilities.ts'

/**
 * A machine, as far as the daemon changes it. Paths are absolute and relative to the root of the machine, wherever it is
 * mounted. Every operation is idempotent, and durable when its promise resolves. A failed operation throws a `HostFailure`
 * with the path, unit or command, and changes nothing.
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

/** The entry at a path. A link in the last part is not followed. */
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
 * The file system. Links above the last part of a path are followed as on the machine itself: a path never leaves the root,
 * even if a directory is replaced by a link at the same time. Links that ordinary users can change are not followed. A path
 * below a file does not exist.
 */
export interface HostFiles {
  stat(path: string): Promise<Entry | undefined>
  /** The content of a regular file. Any other entry, or more than `limit` bytes, is a failure. */
  read(path: string, limit?: number): Promise<Uint8Array>
  /** The names in a directory, sorted; empty if there is no directory. */
  list(path: string): Promise<string[]>
  /**
   * Creates a file, or replaces a file or link atomically: no process sees a partial content or wider permissions than
   * requested. Keeps the security label of a replaced file. The directory must exist.
   */
  write(path: string, file: NewFile): Promise<void>
  /** Appends to a file that only the daemon writes. */
  append(path: string, content: Uint8Array): Promise<void>
  /** Creates a symbolic link; replaces as `write` does. */
  link(path: string, target: string): Promise<void>
  /** Removes a file, link, device or pipe, but no directory. A missing path is not an error. */
  remove(path: string): Promise<void>
  /**
   * Removes the temporary file that a crash during an operation on this path may have left. The path itself stays, and is
   * made durable.
   */
  tidy(path: string): Promise<void>
  /** Moves a file or link within one file system, and replaces the target. A move that is done already is not an error. */
  move(from: string, to: string): Promise<void>
  /** Creates one directory; its parent must exist. An existing directory stays unchanged. */
  makeDirectory(path: string, directory: NewDirectory): Promise<void>
  /** Removes an empty directory. Returns whether it is absent afterwards. */
  removeDirectory(path: string): Promise<boolean>
  /** Sets mode and owner of an existing directory or file. */
  change(path: string, to: NewDirectory): Promise<void>
  /** Calls `changed` soon after any change of one of the paths, with undefined if an event may have been missed. */
  watch(paths: readonly string[], changed: (path: string | undefined) => void): Watch
}

export interface Watch {
  close(): void
}

export type UnitEnablement =
  'enabled' | 'disabled' | 'masked' | 'static' | 'linked' | 'alias' | 'generated' | 'not-found'

/** systemd. The first four methods work on disk only; an empty list is not an error. */
export interface HostUnits {
  enable(units: readonly string[]): Promise<void>
  /** Removes the links that enable the units, whether their files exist or not. */
  disable(units: readonly string[]): Promise<void>
  /** Enables or disables units by the presets. A unit that does not exist is skipped. */
  preset(units: readonly string[]): Promise<void>
  enablement(unit: string): Promise<UnitEnablement>
  daemonReload(): Promise<void>
  reload(unit: string): Promise<void>
  restart(unit: string): Promise<void>
  /** Whether the unit runs; for a oneshot unit, whether it succeeded. */
  isHealthy(unit: string): Promise<boolean>
  /** Identifies the last start of the main process: different after each start in this boot. Undefined: not started yet. */
  lastStart(unit: string): Promise<string | undefined>
}

export interface Account extends Ownership {
  readonly home: string
}

export interface HostAccounts {
  user(name: string): Promise<Account | undefined>
  group(name: string): Promise<number | undefined>
  /** As in /etc/shadow; undefined for a user that does not exist. */
  passwordHash(user: string): Promise<string | undefined>
  setPasswordHash(user: string, hash: string): Promise<void>
}

export interface OsFacts {
  /** `ID` of os-release. */
  readonly id: string
  readonly versionId: string
  readonly variantId: string
  readonly architecture: string
  /** Which parts of the OS the daemon can change. */
  readonly changes: OsCapabilities
  /** Absent if the kernel does not report it. */
  readonly fips?: boolean
}

export interface OsDeployment {
  /** As it was requested; absent if the OS is not image based. */
  readonly image?: string
  /** One word each, in order. */
  readonly kernelArguments: readonly string[]
  readonly kernelType: string
  readonly extensions: readonly string[]
}

export interface OsState {
  readonly booted: OsDeployment
  /** The deployment of the next boot, if it differs. */
  readonly staged?: OsDeployment
}

/** The result of the last boot, and packages that are not part of the image. */
export interface BootReport {
  /** Why the staged deployment does not run: the error message of the tool that finalizes it. */
  readonly finalizationFailure?: string
  /** Packages that were added to the image or removed from it, and belong to no extension and no kernel. */
  readonly foreignPackages: readonly string[]
}

/** The operating system, changed by rpm-ostree, bootc, ostree, or none of these. */
export interface HostOs {
  facts(): Promise<OsFacts>
  state(): Promise<OsState>
  /** Makes this the deployment of the next boot, also if it is the booted one. Replaces an earlier staged deployment. */
  stage(deployment: OsDeployment): Promise<void>
  bootReport(): Promise<BootReport>
  /** Removes the previous deployment, if the OS keeps one for a rollback, to free disk space. */
  dropRollback(): Promise<void>
}

export interface HostPower {
  /** Different after each boot. */
  bootId(): Promise<string>
  /** Resolves when the machine has accepted the request. The journal of the machine holds `reason`. */
  reboot(reason: string): Promise<void>
}

export type ContainerRuntime = 'crio' | 'containerd'

/** Container images of the container runtime. Images are referenced by digest: `registry/name@sha256:…`. */
export interface HostImages {
  /** Undefined if no supported runtime runs; all other methods require one. */
  runtime(): Promise<ContainerRuntime | undefined>
  /** The subset of images that is on the machine. */
  present(images: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>
  /** Free bytes of the file system that stores images. */
  freeBytes(): Promise<number>
  /** Compressed bytes of each layer of an image; undefined if unknown. */
  layers(image: string, signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined>
  /** Pulls with the credentials and mirrors of the runtime. Stops when the signal aborts. */
  pull(image: string, signal: AbortSignal): Promise<void>
  /** Whether Machinist has pinned exactly these images. */
  hasPins(images: readonly string[]): Promise<boolean>
  /** Pins exactly these images, so that they are never garbage collected. Pins of other tools stay. */
  setPins(images: readonly string[]): Promise<void>
}
