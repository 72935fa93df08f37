import { clusterOperatorConditions, conditionOf } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import type { ClusterOperatorInformers } from './caches.ts'
import type { Facts, Versions } from './decide.ts'
import { failuresIn } from './failures.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { Readiness } from './required-pools.ts'
import { requiredPools } from './required-pools.ts'
import type { Failure } from './tasks.ts'

export interface GatherOptions {
  readonly informers: ClusterOperatorInformers
  readonly namespace: string
  /** Of the release; the first of its versions. */
  readonly version: string
  readonly build: string
  readonly operatorImage?: string | undefined
  readonly reported: readonly Failure[]
  readonly nowMs: number
}

export interface Gathered extends Facts {
  readonly required: Readiness
}

/** All from the caches. */
export function gather(options: GatherOptions): Gathered {
  const { informers, namespace, version, build, operatorImage, reported, nowMs } = options
  const controllerConfig = informers.controllerConfigs.get(names.controllerConfig)
  const pools = informers.pools.list()
  const told = informers.clusterOperators.get(names.clusterOperator)?.status?.conditions
  const progressing = conditionOf(told, clusterOperatorConditions.progressing)
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

function versionsOf(version: string, image: string | undefined): Versions {
  return [
    { name: 'operator', version },
    ...(image ? [{ name: 'operator-image', version: image }] : []),
  ]
}

function waitsFor(isConfigured: boolean, required: Readiness): string | undefined {
  if (!isConfigured) return `ControllerConfig ${names.controllerConfig} does not exist yet`
  return required.state === 'waiting' ? required.message : undefined
}
