import type { PlanStep } from '../../planner/model/update-plan.ts'
import type { NewDirectory, OsDeployment, Ownership } from '../host/host.ts'
import type { Update } from './update.ts'

/**
 * Everything that an update changes on a machine, and everything that a rollback needs, written to disk before the first
 * change. A daemon that finds it can continue or roll back from any point: the state of the disk shows the progress.
 *
 * The types of this file, and the steps of the plan, are the format of the journal. A daemon of another version reads it
 * after an upgrade, so keys and values must not change.
 */
export interface Intent {
  readonly format: 1
  readonly update: Update
  /** The boot in which the update began. */
  readonly bootId: string
  /** In order: removed paths, directories that become empty, new directories, written paths. */
  readonly removed: readonly PathChange[]
  readonly emptied: readonly DirectoryRecord[]
  readonly made: readonly DirectoryRecord[]
  readonly written: readonly PathChange[]
  /** The daemon's own state files, written last. */
  readonly stored: readonly PathChange[]
  /** The links before `systemctl enable`, `disable` and `preset`; absent if the plan does not call them. */
  readonly enablement?: Enablement
  readonly passwords: readonly PasswordChange[]
  /** The deployment of the next boot, before and after the update. */
  readonly os?: { readonly before: OsDeployment; readonly after: OsDeployment }
}

export interface DirectoryRecord extends NewDirectory {
  readonly path: string
}

/** One path, its state before the update, and its state after it. */
export interface PathChange {
  readonly path: string
  readonly before: PathState
  /** Where the content of the previous file is. */
  readonly backup?: Backup
  readonly after: PathState
  /** Where the content of the new file is. */
  readonly content?: ContentSource
}

export type Backup =
  /** The content of that path, in a numbered file of the journal. */
  | { readonly in: 'copy'; readonly number: number; readonly path: string; readonly digest: string }
  /** Inline, because it is short. */
  | { readonly in: 'note'; readonly base64: string }
  /** Equal to the content in the current config, which serves as the copy. */
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

/** A content that a config holds. */
export type ConfigSource =
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'unit'; readonly unit: string }
  | { readonly from: 'dropin'; readonly unit: string; readonly dropin: string }
  | { readonly from: 'keys' }
  /** The MachineConfig itself. */
  | { readonly from: 'config' }

export type ContentSource =
  | ConfigSource
  | { readonly from: 'text'; readonly text: string }
  /** The previous content of this or another path. */
  | { readonly from: 'backup'; readonly backup: Backup }

/** The links in /etc/systemd/system that enable units, and their directories. */
export interface Enablement {
  readonly directories: readonly DirectoryRecord[]
  readonly links: Readonly<Record<string, string>>
}

export interface PasswordChange {
  readonly user: string
  readonly before: string
  readonly after: string
}

/** A step that runs after everything is on disk. */
export type ActionStep = Extract<
  PlanStep,
  { do: 'daemon-reload' | 'reload' | 'restart' | 'reboot' }
>

const actionNames: ReadonlySet<string> = new Set(['daemon-reload', 'reload', 'restart', 'reboot'])

export function actionStepsOf({ update }: Intent): ActionStep[] {
  return update.plan.steps.filter((step): step is ActionStep => actionNames.has(step.do))
}

/** Whether the update changes nothing. */
export function isEmptyIntent(intent: Intent): boolean {
  const { removed, emptied, made, written, stored, enablement, passwords, os } = intent
  const lists = [removed, emptied, made, written, stored, passwords, actionStepsOf(intent)]
  return lists.every(({ length }) => length === 0) && !enablement && !os
}
