import type { Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import {
  conditionOf,
  imageConfigDegraded,
  ownMachineConfigurationConditions,
  ownNodeSettingsConditions,
  poolConditions,
} from '../../api/conditions.ts'
import { renderReasons } from '../../api/reasons.ts'
import {
  containerRuntimeConfigs,
  kubeletConfigs,
  machineConfigurations,
} from '../../api/kinds/resources.ts'
import { unselectedReason } from '../../controllers/unselected-configs/decide.ts'
import type { BootstrapProblem, Manifest } from '../manifests/manifest.ts'
import { describeObject } from '../manifests/manifest.ts'
import { Attribution } from './attribution.ts'
import type { ClusterState } from './cluster-state.ts'
import { isInformation } from './find-problems.ts'
import type { Reporting } from './reported-problems.ts'

/** What the controllers report although everything is rendered: probable mistakes, and settings without effect. */
export function findWarnings(
  state: ClusterState,
  manifests: readonly Manifest[],
): BootstrapProblem[] {
  const files = new Attribution(manifests)
  const { pools, machineConfigs } = state
  const onPools = pools.flatMap(({ status }) => {
    const rendered = conditionOf(status?.conditions, poolConditions.renderDegraded)
    const images = conditionOf(status?.conditions, imageConfigDegraded)
    const isMistaken = rendered?.reason === renderReasons.renderedWithWarnings
    return [
      ...(isMistaken ? [rendered.message ?? ''] : []),
      ...(images?.status === 'True' && isInformation(images) ? [images.message ?? ''] : []),
    ]
  })
  const { noEffect, overridden } = ownNodeSettingsConditions
  const { policyInvalid, policyNoEffect } = ownMachineConfigurationConditions
  const texts = [
    ...machineConfigs.flatMap((one) => unselectedReason(one, pools) ?? []),
    ...onPools,
    ...trueConditions(kubeletConfigs, state.kubeletConfigs, [noEffect, overridden]),
    ...trueConditions(containerRuntimeConfigs, state.containerRuntimeConfigs, [
      noEffect,
      overridden,
    ]),
    ...trueConditions(machineConfigurations, state.machineConfigurations, [
      policyInvalid,
      policyNoEffect,
    ]),
  ]
  return [...new Set(texts)].map((text) => files.problem(text))
}

function trueConditions(
  resource: Resource,
  objects: readonly Reporting[],
  types: readonly string[],
): string[] {
  return objects.flatMap((object) =>
    types.flatMap((type) => {
      const condition = conditionOf(object.status?.conditions, type)
      if (condition?.status !== 'True') return []
      return `${describeObject(resource, keyOf(object))}: ${condition.message ?? ''}`
    }),
  )
}
