import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { annotations } from '../../api/annotations.ts'
import { nodeSettingsConditions } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { renderReasons } from '../../api/reasons.ts'
import type { RenderBlock } from './block.ts'
import { degraded, someOf, waiting } from './block.ts'
import type { NodeSettings, PoolRenderFacts } from './facts.ts'
import { unseenTemplate } from './stored-templates.ts'
import { templateState } from './template-state.ts'

function selectorIsValid({ selectorProblem }: PoolRenderFacts): RenderBlock | undefined {
  return selectorProblem === undefined
    ? undefined
    : degraded(renderReasons.badSelector, `spec.machineConfigSelector: ${selectorProblem}`)
}

/** Almost certainly a mistake: it would also select the MachineConfigs of other pools. */
function selectsNotEverything({ pool }: PoolRenderFacts): RenderBlock | undefined {
  const selector = pool.spec.machineConfigSelector
  if (!selector) return undefined
  const terms =
    Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length
  if (terms > 0) return undefined
  return degraded(
    renderReasons.selectingAll,
    'spec.machineConfigSelector is {}, which would select all MachineConfigs; set the labels of the MachineConfigs for this pool',
  )
}

function controllerConfigExists({ controllerConfig }: PoolRenderFacts): RenderBlock | undefined {
  return controllerConfig
    ? undefined
    : waiting(
        renderReasons.controllerConfigMissing,
        `waits for ControllerConfig ${names.controllerConfig}, which does not exist yet; the operator creates it`,
      )
}

/** During an upgrade the old controller does not render the ControllerConfig of the new version. */
function controllerConfigHasOwnVersion({
  controllerConfig,
  maker,
}: PoolRenderFacts): RenderBlock | undefined {
  const version = controllerConfig!.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  if (version === maker.version) return undefined
  const found = version === '' ? 'has no version annotation' : `has version ${version}`
  return waiting(
    renderReasons.controllerConfigVersion,
    `waits for ControllerConfig ${names.controllerConfig}: it ${found}, and this controller has version ${maker.version}`,
  )
}

function templatesSucceeded({ controllerConfig, pool }: PoolRenderFacts): RenderBlock | undefined {
  const { failing } = templateState(controllerConfig!, pool)
  return (
    failing &&
    degraded(
      renderReasons.templatesFailed,
      `the templates of ControllerConfig ${names.controllerConfig} failed: ${failing.message || failing.reason || 'without a reason'}`,
    )
  )
}

function templatesAreDone({ controllerConfig, pool }: PoolRenderFacts): RenderBlock | undefined {
  const { isDone, obstacle } = templateState(controllerConfig!, pool)
  if (isDone) return undefined
  const why = obstacle === undefined ? '' : `: ${obstacle}`
  return waiting(
    renderReasons.templatesNotDone,
    `waits for the templates of ControllerConfig ${names.controllerConfig}${why}`,
  )
}

/**
 * The cache may show the ControllerConfig before the MachineConfigs of its templates, and some of them before the others. A part
 * of them would render a wrong config and roll it out.
 */
function templatesAreSeen({
  controllerConfig,
  pool,
  fromTemplates,
}: PoolRenderFacts): RenderBlock | undefined {
  const unseen = unseenTemplate(controllerConfig!, pool, fromTemplates)
  return unseen === undefined
    ? undefined
    : waiting(renderReasons.staleMachineConfig, `waits for MachineConfig ${unseen}`)
}

function nodeSettingsAreDone({ nodeSettings }: PoolRenderFacts): RenderBlock | undefined {
  for (const settings of nodeSettings) {
    const block = settingsBlock(settings)
    if (block) return block
  }
  return undefined
}

/** Its result for other pools does not matter. */
function settingsBlock({ kind, object, isGenerated }: NodeSettings): RenderBlock | undefined {
  if (isGenerated) return undefined
  const { metadata, status } = object
  const name = `${kind} ${metadata.name}`
  const last = status?.conditions?.at(-1)
  const notDone = waiting(
    renderReasons.settingsNotDone,
    `waits for ${name}, which selects this pool and has no MachineConfig yet`,
  )
  if (!last || metadata.generation !== status?.observedGeneration) return notDone
  const { success, accepted } = nodeSettingsConditions
  const isSuccess = last.type === success || (last.type === accepted && last.status === 'True')
  // It may have succeeded before this pool existed or matched its selector.
  if (isSuccess) return notDone
  return degraded(
    renderReasons.settingsFailed,
    `${name}, which selects this pool, failed: ${last.message || last.reason || 'without a reason'}`,
  )
}

function somethingIsSelected({ inputs, pool }: PoolRenderFacts): RenderBlock | undefined {
  if (inputs.length > 0) return undefined
  const selector = pool.spec.machineConfigSelector
  return degraded(
    renderReasons.noMachineConfigs,
    selector
      ? `no MachineConfigs found matching selector ${JSON.stringify(selector)}`
      : 'no MachineConfigs found: spec.machineConfigSelector is missing, so nothing is selected',
  )
}

/** Generated MachineConfigs of two controller builds must not be merged: the result would fit neither of them. */
function inputsHaveOwnBuild({ inputs, maker }: PoolRenderFacts): RenderBlock | undefined {
  const stale = inputs.find(({ generatedBy }) => generatedBy !== '' && generatedBy !== maker.build)
  if (!stale) return undefined
  const advice =
    stale.madeFrom === undefined
      ? `no controller generates it any more: delete it, or remove its annotation ${annotations.generatedByController} to keep it`
      : `see the status of ${stale.madeFrom}, from which it is generated`
  return waiting(
    renderReasons.staleMachineConfig,
    `waits for MachineConfig ${stale.name} to be generated again: it has controller build ${stale.generatedBy}, and this is ${maker.build}; if this persists, ${advice}`,
  )
}

function inputsAreValid({ inputs }: PoolRenderFacts): RenderBlock | undefined {
  const invalid = inputs.filter(({ problems }) => problems.length > 0)
  if (invalid.length === 0) return undefined
  const problems = invalid.flatMap((input) => input.problems)
  return degraded(
    renderReasons.badMachineConfig,
    `MachineConfig ${invalid.map(({ name }) => name).join(', ')}: ${someOf(problems)}`,
  )
}

/** Checks before anything is merged. */
export const inputChain = DecisionChain.of<PoolRenderFacts, RenderBlock>(
  {
    selectorIsValid,
    selectsNotEverything,
    controllerConfigExists,
    controllerConfigHasOwnVersion,
    templatesSucceeded,
    templatesAreDone,
    templatesAreSeen,
    nodeSettingsAreDone,
    somethingIsSelected,
    inputsHaveOwnBuild,
    inputsAreValid,
  },
  ({ message }) => message,
)

/** The input checks that need no cluster, for rendering from files. */
export const offlineInputChain = DecisionChain.of<PoolRenderFacts, RenderBlock>(
  { selectorIsValid, selectsNotEverything, somethingIsSelected, inputsAreValid },
  ({ message }) => message,
)
