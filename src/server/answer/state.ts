import type {
  MachineConfig,
  MachineConfigPool,
  MachineOSBuild,
  MachineOSConfig,
} from '../../api/kinds/resources.ts'
import type { ServedTrust } from './served-trust.ts'

/**
 * Everything that answers depend on, as plain data. Cluster mode and directory mode produce it. A part that did not change is
 * the same object as before, because prepared answers are compared by identity.
 */
export interface ServerState {
  /** When the source last confirmed this state, in milliseconds since the epoch. */
  readonly asOf: number
  readonly pools: ReadonlyMap<string, Readonly<MachineConfigPool>>
  /** Rendered MachineConfigs by name; at least those that `chooseConfig` returns for the pools. */
  readonly configs: ReadonlyMap<string, Readonly<MachineConfig>>
  readonly images: ImageFacts
  /** Undefined while there is no ControllerConfig. */
  readonly trust: ServedTrust | undefined
  readonly kubeconfig: KubeconfigSource
  /** The image of the daemon that completes the first boot. Without one, machines join first. */
  readonly daemonImage?: string | undefined
}

/** Facts about OS images that are built in the cluster. */
export interface ImageFacts {
  readonly osConfigs: readonly Readonly<MachineOSConfig>[]
  readonly osBuilds: readonly Readonly<MachineOSBuild>[]
  /** Hosts of the registry inside the cluster, which a machine cannot reach before it has joined. */
  readonly internalRegistries: readonly string[]
}

/** The source of the kubeconfig with which the kubelet of a new machine requests its certificate. */
export type KubeconfigSource =
  /** A kubeconfig of the installer, served as it is. */
  | { readonly type: 'file'; readonly text: string }
  /** Built for each credential. */
  | {
      readonly type: 'credential'
      /** URL of the API server; undefined if it is unknown. */
      readonly server: string | undefined
      /** CAs of the API server as PEM; undefined if they are unknown. */
      readonly authorities: string | undefined
    }

/** Where the state comes from: the cluster, or a directory. */
export interface StateSource {
  /** The newest state, also while its source does not answer; undefined until there is one. */
  current(): ServerState | undefined
  /** Calls `changed` after each change. Returns a function that ends the subscription. */
  subscribe(changed: () => void): () => void
  /** Follows the source until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}
