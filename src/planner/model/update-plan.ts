import type { OsCapabilities } from './os-capabilities.ts'

/** The plan of an update, with reasons. Plain data: the daemon executes it, other components read it. */
export interface UpdatePlan {
  /** Names of the MachineConfigs. */
  readonly from: string
  readonly to: string
  /** Whether the change can be applied to a running node. If not, `reasons` lists all reasons, and there are no steps. */
  readonly reconcilable: boolean
  readonly reasons: readonly string[]
  readonly changes: readonly PlanChange[]
  /** In order of execution, without duplicates. */
  readonly actions: readonly PlanAction[]
  readonly drain: boolean
  /** Why the node is drained or not. */
  readonly drainRule: string
  readonly reboot: boolean
  readonly steps: readonly PlanStep[]
  /** Differences without effect on an existing node; absent if there are none. */
  readonly notes?: readonly string[]
}

export type ChangeKind =
  | 'file'
  | 'unit'
  | 'dropin'
  | 'kernelArguments'
  | 'sshKeys'
  | 'passwordHash'
  | 'kernelType'
  | 'extensions'
  | 'osImage'
  | 'fips'

export interface PlanChange {
  readonly kind: ChangeKind
  readonly change: 'added' | 'changed' | 'removed'
  /** Path of a file. */
  readonly path?: string
  /** Name of a unit, a drop-in (`unit/drop-in`) or a user. */
  readonly name?: string
  /** A sentence that describes the change. Contains no secrets. */
  readonly summary: string
  /** The MachineConfig that the change comes from, if the rendered config has provenance. */
  readonly from?: string
}

export type ActionType =
  'None' | 'DaemonReload' | 'Reload' | 'Restart' | 'Special' | 'Drain' | 'Reboot'

export interface PlanAction {
  readonly type: ActionType
  /** The unit of Reload, Restart and Special. */
  readonly service?: string
  /** The rule that decided, for users: `default policy for /etc/containers/policy.json`, `no policy for /etc/x`. */
  readonly rule: string
  /** The changes (paths, names) that require the action. */
  readonly because: readonly string[]
}

/**
 * A step of the update, with the name of its object; the content is in the two MachineConfigs. The daemon can undo each step with
 * the data that the journal holds.
 */
export type PlanStep =
  | { readonly do: 'drain' }
  | { readonly do: 'write-file'; readonly path: string }
  | { readonly do: 'remove-file'; readonly path: string }
  /** Also removes the links of a unit that no config wrote. */
  | { readonly do: 'write-unit'; readonly unit: string }
  /** Removes the file of the old config and restores that of the OS. `set-units` handles enablement. */
  | { readonly do: 'remove-unit'; readonly unit: string }
  | { readonly do: 'write-dropin'; readonly unit: string; readonly dropin: string }
  | { readonly do: 'remove-dropin'; readonly unit: string; readonly dropin: string }
  /** Also removes its links: systemctl ignores links of masked units. */
  | { readonly do: 'mask-unit'; readonly unit: string }
  | { readonly do: 'unmask-unit'; readonly unit: string }
  /**
   * All units with a desired enablement, to minimize calls of systemctl. May occur twice: before units are written or removed, to
   * disable units whose links could not be found afterwards, and after. A unit to preset may no longer exist.
   */
  | {
      readonly do: 'set-units'
      readonly enable: readonly string[]
      readonly disable: readonly string[]
      readonly preset: readonly string[]
    }
  | { readonly do: 'write-ssh-keys'; readonly user: string; readonly path: string }
  /** No key is left: removes the file. */
  | { readonly do: 'remove-ssh-keys'; readonly user: string; readonly path: string }
  | { readonly do: 'set-password'; readonly user: string }
  /** With an image, also the unchanged kernel type and extensions, which must be applied to the new image. */
  | {
      readonly do: 'change-os'
      readonly image?: { readonly from: string; readonly to: string }
      readonly kernelType?: { readonly from: string; readonly to: string }
      readonly extensions?: { readonly from: readonly string[]; readonly to: readonly string[] }
      /** One kernel argument per entry. */
      readonly kernelArguments?: {
        readonly remove: readonly string[]
        readonly add: readonly string[]
      }
    }
  /** From here on the disk of the node has the new config. */
  | { readonly do: 'store-config' }
  | { readonly do: 'daemon-reload' }
  | { readonly do: 'reload'; readonly service: string }
  | { readonly do: 'restart'; readonly service: string }
  | { readonly do: 'reboot'; readonly reason: string }

/** Facts about a node that the planner needs in addition to the configs. */
export interface NodeFacts {
  /** Value of /proc/sys/crypto/fips_enabled; absent if the file does not exist. */
  readonly fips?: boolean
  /** Changes that the driver cannot apply are rejected: see os-reasons.ts. */
  readonly os: OsCapabilities
  readonly architecture: string
  /** Image of the booted OS, if it is image-based. */
  readonly bootedImage?: string
  /** Arguments of /proc/cmdline; absent if unknown. */
  readonly bootedKernelArguments?: readonly string[]
  /** Whether the force file exists: the daemon rewrites everything and reboots. */
  readonly forced: boolean
  /** False in a cluster of one node and on first boot. */
  readonly drains: boolean
  /** The file that sshd reads, relative to the .ssh directory of the user. */
  readonly keysPath: 'authorized_keys' | 'authorized_keys.d/ignition'
}
