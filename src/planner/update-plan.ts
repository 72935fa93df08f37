import type { OsCapabilities } from './os-capabilities.ts'

/** What an update will do to a node, and why: the daemon executes it, everybody else reads it. Plain data. */
export interface UpdatePlan {
  /** Names of the MachineConfigs. */
  readonly from: string
  readonly to: string
  /** Whether a running node can take the change over. If not, `reasons` holds every one, and there are no steps. */
  readonly reconcilable: boolean
  readonly reasons: readonly string[]
  readonly changes: readonly Change[]
  /** In the order in which they are done, each once. */
  readonly actions: readonly Action[]
  readonly drain: boolean
  /** Why the node is drained, or is not. */
  readonly drainRule: string
  readonly reboot: boolean
  readonly steps: readonly Step[]
  /** What differs but does nothing on a node that has been set up; absent if there is no such thing. */
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

export interface Change {
  readonly kind: ChangeKind
  readonly change: 'added' | 'changed' | 'removed'
  /** Of a file. */
  readonly path?: string
  /** Of a unit; of a drop-in `unit/drop-in`; of a user. */
  readonly name?: string
  /** One sentence: what will be different, never a secret. */
  readonly summary: string
  /** The MachineConfig that brought it, as far as the rendered config knows. */
  readonly from?: string
}

export type ActionType =
  'None' | 'DaemonReload' | 'Reload' | 'Restart' | 'Special' | 'Drain' | 'Reboot'

export interface Action {
  readonly type: ActionType
  /** Of Reload, Restart and Special. */
  readonly service?: string
  /** What decided it, for people: `default policy for /etc/containers/policy.json`, `no policy for /etc/x`. */
  readonly rule: string
  /** The changes (paths, names) that asked for it. */
  readonly because: readonly string[]
}

/**
 * One thing to do, named by what it is about; its content is in the two MachineConfigs. Each has an inverse that needs
 * only what the journal noted before it: see the daemon.
 */
export type Step =
  | { readonly do: 'drain' }
  | { readonly do: 'write-file'; readonly path: string }
  | { readonly do: 'remove-file'; readonly path: string }
  /** Over one that is not ours: its links go, too. */
  | { readonly do: 'write-unit'; readonly unit: string }
  /** The file that the old config brought goes; one that the OS shipped comes back. Enablement has its own step. */
  | { readonly do: 'remove-unit'; readonly unit: string }
  | { readonly do: 'write-dropin'; readonly unit: string; readonly dropin: string }
  | { readonly do: 'remove-dropin'; readonly unit: string; readonly dropin: string }
  /** Its links go, too: systemctl does not see those of what is masked. */
  | { readonly do: 'mask-unit'; readonly unit: string }
  | { readonly do: 'unmask-unit'; readonly unit: string }
  /**
   * All units whose wanted state is said, at once: as few calls of systemctl as possible. May come twice: before units are
   * written or removed, to disable those whose links nobody would find afterwards, and after. A unit to preset may be gone.
   */
  | {
      readonly do: 'set-units'
      readonly enable: readonly string[]
      readonly disable: readonly string[]
      readonly preset: readonly string[]
    }
  | { readonly do: 'write-ssh-keys'; readonly user: string; readonly path: string }
  /** No key is left: the file goes, whatever is in it. */
  | { readonly do: 'remove-ssh-keys'; readonly user: string; readonly path: string }
  | { readonly do: 'set-password'; readonly user: string }
  /** With an image come also a kernel type and extensions that stay the same but have to be put on the new image. */
  | {
      readonly do: 'change-os'
      readonly image?: { readonly from: string; readonly to: string }
      readonly kernelType?: { readonly from: string; readonly to: string }
      readonly extensions?: { readonly from: readonly string[]; readonly to: readonly string[] }
      /** Words, not lines: one argument each. */
      readonly kernelArguments?: {
        readonly remove: readonly string[]
        readonly add: readonly string[]
      }
    }
  /** From here on the node is in the new config as far as its disk is concerned. */
  | { readonly do: 'store-config' }
  | { readonly do: 'daemon-reload' }
  | { readonly do: 'reload'; readonly service: string }
  | { readonly do: 'restart'; readonly service: string }
  | { readonly do: 'reboot'; readonly reason: string }

/** What the planner has to know about a node beside its configs. */
export interface NodeFacts {
  /** Of /proc/sys/crypto/fips_enabled; absent where there is none. */
  readonly fips?: boolean
  /** What cannot be changed and is not as the config wants it is refused: see os-reasons.ts. */
  readonly os: OsCapabilities
  readonly architecture: string
  /** Of the booted OS, if it is made of images. */
  readonly bootedImage?: string
  /** Of /proc/cmdline, one word each; absent: unknown. */
  readonly bootedKernelArguments?: readonly string[]
  /** The force file exists: everything is written anew, then the node reboots. */
  readonly forced: boolean
  /** Nothing is drained on a cluster of one node, nor at first boot. */
  readonly drains: boolean
  /** Where sshd looks for keys, below the user's .ssh directory. */
  readonly keysPath: 'authorized_keys' | 'authorized_keys.d/ignition'
}
