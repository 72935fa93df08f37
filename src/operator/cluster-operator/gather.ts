import { clusterOperatorConditions, conditionOf } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import type { ClusterOperatorCaches } from './caches.ts'
import type { ClusterOperatorFacts, OperatorVersions } from './decide.ts'
import { failuresIn } from './failures.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { Readiness } from './required-pools.ts'
import { requiredPools } from './required-pools.ts'
import type { TaskFailure } from './tasks.ts'

export interface ClusterOperatorGatherOptions {
  readonly informers: ClusterOperatorCaches
  readonly namespace: string
  /** The version of the release. */
  readonly version: string
  readonly build: string
  readonly operatorImage?: string | undefined
  readonly reported: readonly TaskFailure[]
  readonly nowMs: number
}

export interface GatheredClusterOperatorFacts extends ClusterOperatorFacts {
  readonly required: Readiness
}

/** Gathers the facts from the caches. */
export function gatherClusterOperator(
  options: ClusterOperatorGatherOptions,
): GatheredClusterOperatorFacts {
  const { informers, namespace, version, build, operatorImage, reported, nowMs } = options
  const controllerConfig = informers.controllerConfigs.get(names.controllerConfig)
  const pools = informers.pools.list()
  const { status } = informers.clusterOperators.get(names.clusterOperator) ?? {}
  const progressing = conditionOf(status?.conditions, clusterOperatorConditions.progressing)
  const isUpgrading = progressing?.status === 'True'
  const required = requiredPools({
    pools,
    machineConfig: (name) => informers.machineConfigs.get(name),
    release: { version, build, osImageURL: controllerConfig?.spec.baseOSContainerImage ?? '' },
    ...(isUpgrading && { upgradingSince: progressing.lastTransitionTime ?? undefined }),
    nowMs,
  })
  const machineConfiguration = informers.machineConfigurations.get(names.machineConfiguration)
  return {
    namespace,
    versions: versionsOf(version, operatorImage),
    failures: failuresIn({ controllerConfig, machineConfiguration, required, reported }),
    waitsFor: waitsFor(controllerConfig !== undefined, required),
    required,
    pools,
    nodes: informers.nodes.list(),
    kubeAPIServer: informers.clusterOperators.get(kubeAPIServer),
    kubeletConfigs: informers.kubeletConfigs.list(),
    runtimeConfigs: informers.containerRuntimeConfigs.list(),
  }
}

function versionsOf(version: string, image: string | undefined): OperatorVersions {
  return [
    { name: 'operator', version },
    ...(image ? [{ name: 'operator-image', version: image }] : []),
  ]
}

function waitsFor(isConfigured: boolean, required: Readiness): string | undefined {
  if (!isConfigured) return `ControllerConfig ${names.controllerConfig} does not exist yet`
  return required.state === 'waiting' ? required.message : undefined
}
