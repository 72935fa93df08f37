import type { Step } from '../../planner/update-plan.ts'
import type { NewDirectory, OsDeployment, Ownership } from '../host/host.ts'
import type { Update } from './update.ts'

/**
 * All that an update will do to a machine and all that it takes to undo it, worked out and noted on disk before anything is
 * touched. Whoever finds it can go on forwards or backwards from any point: what is on the disk tells how far it came.
 */
export interface Intent {
  readonly format: 1
  readonly update: Update
  /** The boot during which it began. */
  readonly bootId: string
  /** In the order in which they are done: what goes, directories that are empty then, new directories, what comes. */
  readonly removed: readonly PathChange[]
  readonly emptied: readonly NotedDirectory[]
  readonly made: readonly NotedDirectory[]
  readonly written: readonly PathChange[]
  /** What the daemon remembers: comes after everything else. */
  readonly stored: readonly PathChange[]
  /** What `systemctl enable` and its sisters change, as it was; absent where they are not called. */
  readonly enablement?: Enablement
  readonly passwords: readonly PasswordChange[]
  /** What the next boot would have brought, and what it will. */
  readonly os?: { readonly before: OsDeployment; readonly after: OsDeployment }
}

export interface NotedDirectory extends NewDirectory {
  readonly path: string
}

/** One path, what was there, and what will be. */
export interface PathChange {
  readonly path: string
  readonly before: PathState
  /** Where the content of a file that was there is kept. */
  readonly backup?: Backup
  readonly after: PathState
  /** Where the content comes from, if a file will be there. */
  readonly content?: ContentSource
}

export type Backup =
  /** Under this number beside the intent: what was at that path. */
  | { readonly in: 'copy'; readonly number: number; readonly path: string; readonly digest: string }
  /** Here, because it is short. */
  | { readonly in: 'note'; readonly base64: string }
  /** It is what the config of before says, so that config is copy enough. */
  | { readonly in: 'current'; readonly source: ConfigSource }

export type PathState = { readonly type: 'absent' } | LinkState | FileState

export interface LinkState {
  readonly type: 'link'
  readonly target: string
}

export interface FileState extends Ownership {
  readonly type: 'file'
  readonly mode: number
  /** sha256, in hex. */
  readonly digest: string
}

/** Something that a config says. */
export type ConfigSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'unit'; readonly unit: string }
  | { readonly from: 'dropin'; readonly unit: string; readonly dropin: string }
  | { readonly from: 'keys' }
  /** The config itself. */
  | { readonly from: 'config' }

export type ContentSource =
  | ConfigSource
  | { readonly from: 'text'; readonly text: string }
  /** What was at this path, or at another one, before. */
  | { readonly from: 'backup'; readonly backup: Backup }

/** The links of /etc/systemd/system that say which units start, and the directories that hold them. */
export interface Enablement {
  readonly directories: readonly NotedDirectory[]
  readonly links: Readonly<Record<string, string>>
}

export interface PasswordChange {
  readonly user: string
  readonly before: string
  readonly after: string
}

/** What is done once all is on disk. */
export type ActionStep = Extract<Step, { do: 'daemon-reload' | 'reload' | 'restart' | 'reboot' }>

const actionNames: ReadonlySet<string> = new Set(['daemon-reload', 'reload', 'restart', 'reboot'])

export function actionsOf({ update }: Intent): ActionStep[] {
  return update.plan.steps.filter((step): step is ActionStep => actionNames.has(step.do))
}

/** Nothing to do, so nothing to undo. */
export function isNothing(intent: Intent): boolean {
  const { removed, emptied, made, written, stored, enablement, passwords, os } = intent
  const lists = [removed, emptied, made, written, stored, passwords, actionsOf(intent)]
  return lists.every(({ length }) => length === 0) && !enablement && !os
}
