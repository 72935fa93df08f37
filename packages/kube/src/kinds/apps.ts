import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'
import type { PodTemplate } from './core.ts'

export interface DaemonSet extends KubeObject {
  spec?: {
    selector: LabelSelectorSpec
    template: PodTemplate
    updateStrategy?: {
      type?: 'RollingUpdate' | 'OnDelete'
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string }
    }
    minReadySeconds?: number
  }
  status?: {
    observedGeneration?: number
    desiredNumberScheduled?: number
    currentNumberScheduled?: number
    updatedNumberScheduled?: number
    numberReady?: number
    numberAvailable?: number
    numberUnavailable?: number
    numberMisscheduled?: number
  }
}

export interface Deployment extends KubeObject {
  spec?: {
    replicas?: number
    selector: LabelSelectorSpec
    template: PodTemplate
    strategy?: { type?: 'RollingUpdate' | 'Recreate'; rollingUpdate?: object }
    minReadySeconds?: number
    progressDeadlineSeconds?: number
  }
  status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    readyReplicas?: number
    availableReplicas?: number
    unavailableReplicas?: number
    conditions?: Condition[]
  }
}

export interface ReplicaSet extends KubeObject {
  spec?: {
    replicas?: number
    selector: LabelSelectorSpec
    template?: PodTemplate
    minReadySeconds?: number
  }
  status?: {
    observedGeneration?: number
    replicas?: number
    readyReplicas?: number
    availableReplicas?: number
    fullyLabeledReplicas?: number
  }
}

const apps = { group: 'apps', version: 'v1' }

export const daemonSets = resource<DaemonSet>({
  ...apps,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
})
export const deployments = resource<Deployment>({
  ...apps,
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
})
export const replicaSets = resource<ReplicaSet>({
  ...apps,
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
})
