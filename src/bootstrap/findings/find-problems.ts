import type { Condition } from '@machinist/core/objects/resource'
import {
  conditionOf,
  credentialProviderConditions,
  imageConfigDegraded,
  inputOfDegraded,
  kubeletDefaultsDegraded,
  poolConditions,
  roleOfTemplatesFailing,
} from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { clusterSettingsReasons, renderReasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { controllerConfigs, machineConfigPools } from '../../api/kinds/resources.ts'
import { isGenerated } from '../../controllers/generated/machine-config.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { BootstrapProblem, Manifest } from '../manifests/manifest.ts'
import { describeObject } from '../manifests/manifest.ts'
import { Attribution } from './attribution.ts'
import type { ClusterState } from './cluster-state.ts'
import { reportedProblems, textOf } from './reported-problems.ts'
import { orderProblems } from './settings-order.ts'
import { settingsProblems } from './settings-problems.ts'

export interface FindOptions {
  readonly manifests: readonly Manifest[]
  readonly release: Release
  /** What the controllers could not do. */
  readonly failures: readonly string[]
}

/**
 * Why the rendered configs cannot be used: what the controllers report in conditions and events. A cause is reported without its
 * consequences: a pool that waits for an invalid object is not a problem of its own.
 */
export function findProblems(state: ClusterState, options: FindOptions): BootstrapProblem[] {
  const { manifests, release, failures } = options
  const files = new Attribution(manifests)
  const causes = [
    ...machineConfigProblems(state, release).map((text) => files.problem(text)),
    ...controllerConfigProblems(state).map((text) => files.problem(text)),
    ...settingsProblems(state, files),
    ...credentialProviderProblems(state, files),
    ...clusterSettingsProblems(state, files),
    ...orderProblems(manifests, state.pools),
  ]
  const ofPools = (textIn: (pool: MachineConfigPool) => string | undefined): BootstrapProblem[] =>
    state.pools.flatMap((pool) => {
      const text = textIn(pool)
      const itself = describeObject(machineConfigPools, { name: pool.metadata.name })
      return text === undefined ? [] : files.problem(text, itself)
    })
  const found = [...causes, ...ofPools((pool) => degradedText(pool, causes.length > 0))]
  if (found.length > 0) return unique(found)
  const others = [...failures, ...missingObjects(state)].map((text) => files.problem(text))
  return unique([...others, ...ofPools(waitingText)])
}

/** Objects that the operator creates in every cluster. */
function missingObjects({ controllerConfig, pools }: ClusterState): string[] {
  const name = describeObject(controllerConfigs, { name: names.controllerConfig })
  return [
    ...(controllerConfig ? [] : [`${name} does not exist: the operator has not written it`]),
    ...(pools.length > 0 ? [] : ['no MachineConfigPool exists: the operator has not created any']),
  ]
}

function unique(problems: readonly BootstrapProblem[]): BootstrapProblem[] {
  const byText = new Map(problems.map((one) => [`${one.file} ${one.message}`, one]))
  return [...byText.values()]
}

/** All problems of the MachineConfigs of users; a condition has only the first few. */
function machineConfigProblems({ machineConfigs }: ClusterState, release: Release): string[] {
  return machineConfigs
    .filter((one) => !isGenerated(one))
    .flatMap((one) =>
      readInput(one, release).problems.map(
        (problem) => `MachineConfig ${one.metadata.name}: ${problem}`,
      ),
    )
}

/** Inputs of the operator, and the templates of each role. */
function controllerConfigProblems({ controllerConfig }: ClusterState): string[] {
  const conditions = controllerConfig?.status?.conditions ?? []
  const failing = conditions.filter(({ status }) => status === 'True')
  const inputs = failing.filter(({ type }) => inputOfDegraded(type) !== undefined)
  const templates = failing.filter(({ type }) => roleOfTemplatesFailing(type) !== undefined)
  const byMessage = Map.groupBy(templates, textOf)
  return [
    ...inputs.map(textOf),
    ...[...byMessage].map(([message, same]) => {
      const roles = same.map(({ type }) => roleOfTemplatesFailing(type)).join(', ')
      return `the templates of ${roles} failed: ${message}`
    }),
  ]
}

function credentialProviderProblems(state: ClusterState, files: Attribution): BootstrapProblem[] {
  const types: readonly string[] = Object.values(credentialProviderConditions)
  const failed = (conditions: readonly Condition[]): Condition[] =>
    conditions.filter(({ type, status }) => types.includes(type) && status === 'False')
  const objects = state.credentialProviderConfigs
  return reportedProblems(crioCredentialProviderConfigs, objects, files, failed)
}

/** Image registries and kubelet defaults. Their events name the object, and their conditions are on every pool. */
function clusterSettingsProblems(state: ClusterState, files: Attribution): BootstrapProblem[] {
  const ofType = (type: string): Condition[] =>
    state.pools
      .flatMap((pool) => conditionOf(pool.status?.conditions, type) ?? [])
      .filter(({ status }) => status === 'True')
  const images = ofType(imageConfigDegraded).filter((one) => !isInformation(one))
  const { registriesFailed, payloadProtected } = settingsEvents
  const emitted = state.events.filter(
    ({ reason }) => reason === registriesFailed || reason === payloadProtected,
  )
  const ofImages =
    emitted.length > 0 ? emitted.map(({ message = '' }) => message) : images.map(textOf)
  return [
    ...(images.length > 0 ? ofImages : []),
    ...ofType(kubeletDefaultsDegraded).map(textOf),
  ].map((text) => files.problem(text))
}

/** All settings are in the MachineConfigs, but the container runtime does not read them. */
export const isInformation = ({ reason }: Condition): boolean =>
  reason === clusterSettingsReasons.notRead

/** Reasons of RenderDegraded whose causes are found before. */
const consequences: ReadonlySet<string> = new Set([
  renderReasons.badMachineConfig,
  renderReasons.settingsFailed,
  renderReasons.templatesFailed,
])

function degradedText({ status }: MachineConfigPool, hasCauses: boolean): string | undefined {
  const condition = conditionOf(status?.conditions, poolConditions.renderDegraded)
  if (condition?.status !== 'True') return undefined
  return hasCauses && consequences.has(condition.reason ?? '') ? undefined : textOf(condition)
}

/** Why a pool has no rendered config, if no user must act. */
function waitingText({ metadata, spec, status }: MachineConfigPool): string | undefined {
  const condition = conditionOf(status?.conditions, poolConditions.renderDegraded)
  if (condition && condition.status !== 'False') return textOf(condition)
  const isRendered = condition !== undefined && spec.configuration?.name
  return isRendered ? undefined : `pool ${metadata.name} has no rendered config`
}
