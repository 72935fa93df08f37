import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'

/** The content of a directory in the layout of `fleet/bootstrap/layout.ts`. A part that did not change is the same object as before. */
export interface BootstrapDirectory {
  readonly pools: ReadonlyMap<string, Readonly<MachineConfigPool>>
  /** The rendered configs of the pools, by name. */
  readonly machineConfigs: ReadonlyMap<string, Readonly<MachineConfig>>
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** The text of the kubeconfig, if the server has one. */
  readonly kubeconfig?: string
  readonly problems: readonly DirectoryProblem[]
}

/** A file that cannot be used. Its last valid content stays in use, if it had any. */
export interface DirectoryProblem {
  readonly path: string
  /** What is wrong and what to do. Never quotes the content. */
  readonly message: string
  /** The pool that has no config because of it. */
  readonly pool?: string
}
