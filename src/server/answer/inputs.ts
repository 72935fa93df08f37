import type { MachineConfig } from '../../api/kinds/resources.ts'
import { bootstrapKubeconfig } from '../../fleet/provisioning/node-kubeconfig.ts'
import { chooseConfig } from './choose-config.ts'
import { layeredImage } from './layered-image.ts'
import type { Refusal } from './refusal.ts'
import { notYet, unknownPool } from './refusal.ts'
import type { ServedTrust } from './served-trust.ts'
import type { KubeconfigSource, ServerState } from './state.ts'

/** Everything that the config for new machines of a pool is made of. */
export interface AnswerInputs {
  readonly config: Readonly<MachineConfig>
  /** The layered OS image. */
  readonly image: string | undefined
  readonly trust: ServedTrust
  /** The content of the kubeconfig file. Secret. */
  readonly kubeconfig: string
  /** The image of the daemon that completes the first boot. */
  readonly daemonImage?: string | undefined
}

/** Selects the inputs of an answer. `token` is the bootstrap credential, if the kubeconfig needs one. */
export function selectInputs(
  state: ServerState,
  poolName: string,
  token: string | undefined,
): AnswerInputs | Refusal {
  const pool = state.pools.get(poolName)
  if (!pool) return unknownPool
  const name = chooseConfig(pool)
  if (name === undefined) return noConfig(poolName)
  const config = state.configs.get(name)
  if (!config) return missingConfig(poolName, name)
  if (!state.trust) return noControllerConfig
  const kubeconfig = kubeconfigText(state.kubeconfig, token)
  if (typeof kubeconfig !== 'string') return kubeconfig
  const { images, trust, daemonImage } = state
  return { config, image: layeredImage(pool, config, images), trust, kubeconfig, daemonImage }
}

const noConfig = (pool: string): Refusal =>
  notYet(
    'NoConfig',
    `MachineConfigPool ${pool} has no rendered config that a node runs`,
    `Check the conditions of the pool: kubectl describe mcp ${pool}.`,
  )

const missingConfig = (pool: string, name: string): Refusal =>
  notYet(
    'MissingConfig',
    `MachineConfig ${name} of MachineConfigPool ${pool} does not exist, or could not be read`,
    `Check the conditions of the pool: kubectl describe mcp ${pool}.`,
  )

const noControllerConfig = notYet(
  'NoControllerConfig',
  'there is no ControllerConfig, so the CAs of the cluster are unknown',
  'Start the operator: it creates the ControllerConfig.',
)

function kubeconfigText(source: KubeconfigSource, token: string | undefined): string | Refusal {
  if (source.type === 'file') return source.text
  const { server, authorities } = source
  if (server === undefined) {
    return notYet(
      'NoServerUrl',
      'the URL of the API server is unknown: the ControllerConfig does not contain it',
      'Start the server with --api-server-url.',
    )
  }
  if (authorities === undefined) {
    return notYet(
      'NoServerCA',
      'the CA of the API server is unknown: there is no ConfigMap kubeconfig-data, and the ControllerConfig contains no CA',
      'Create the ConfigMap kube-apiserver-server-ca in the namespace openshift-config-managed.',
    )
  }
  return token === undefined ? noCredential : bootstrapKubeconfig(server, authorities, token)
}

export const noCredential = notYet(
  'NoCredential',
  'there is no credential for new machines, or it expires before a machine could use it',
  'Check the log of the server: it requests a token of ServiceAccount node-bootstrapper every 10 minutes.',
)
