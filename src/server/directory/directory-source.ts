import type { ServerState, StateSource } from '../answer/state.ts'
import { servedTrust } from '../answer/served-trust.ts'
import type { BootstrapDirectory } from './bootstrap-directory.ts'
import type { FollowedDirectory } from './follow-directory.ts'

/** The state of a bootstrap directory, for the first machines of a cluster. */
export class DirectorySource implements StateSource {
  readonly #followed: FollowedDirectory
  #directory: BootstrapDirectory | undefined
  #state: Omit<ServerState, 'asOf'> | undefined

  constructor(followed: FollowedDirectory) {
    this.#followed = followed
  }

  current(): ServerState | undefined {
    const directory = this.#followed.current()
    if (!directory) return undefined
    if (!this.#state || directory !== this.#directory) this.#state = this.#stateOf(directory)
    this.#directory = directory
    return { ...this.#state, asOf: this.#followed.readAt }
  }

  subscribe(changed: () => void): () => void {
    return this.#followed.subscribe(changed)
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#followed.run(signal)
  }

  /** Parts that did not change are the same objects as before. */
  #stateOf(directory: BootstrapDirectory): Omit<ServerState, 'asOf'> {
    const { pools, machineConfigs, controllerConfig, kubeconfig } = directory
    const isSameTrust = this.#state && this.#directory?.controllerConfig === controllerConfig
    const isSameKubeconfig = this.#state && this.#directory?.kubeconfig === kubeconfig
    return {
      pools,
      configs: machineConfigs,
      images: noImages,
      trust: isSameTrust
        ? this.#state?.trust
        : controllerConfig && servedTrust(controllerConfig.spec),
      kubeconfig: isSameKubeconfig ? this.#state!.kubeconfig : kubeconfigOf(kubeconfig),
    }
  }
}

/** Images are built in a cluster, which does not exist yet. */
const noImages: ServerState['images'] = { osConfigs: [], osBuilds: [], internalRegistries: [] }

/** Without the file there is no server and no credential, and no config is served. */
const kubeconfigOf = (text: string | undefined): ServerState['kubeconfig'] =>
  text === undefined
    ? { type: 'credential', server: undefined, authorities: undefined }
    : { type: 'file', text }
