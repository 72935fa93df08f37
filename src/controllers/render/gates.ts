import { annotations } from '../../api/annotations.ts'
import { nodeSettingsConditions } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { renderReasons } from '../../api/reasons.ts'
import type { Facts, NodeSettings } from './facts.ts'
import { unseenTemplate } from './stored-templates.ts'
import { templateState } from './template-state.ts'

/** Why nothing can be rendered. Waiting ends by itself when another component has done its part; the rest is for people. */
export interface Block {
  readonly waiting: boolean
  readonly reason: string
  /** Names the object, and the field where there is one. */
  readonly message: string
}

/** One thing that has to be so before anything is merged; the first that is not is the explanation. */
export type Gate = (facts: Facts) => Block | undefined

export const gates = {
  selectorIsReadable,
  selectsNotEverything,
  controllerConfigExists,
  controllerConfigIsOurs,
  templatesSucceeded,
  templatesAreDone,
  templatesAreSeen,
  nodeSettingsAreDone,
  somethingIsSelected,
  inputsAreOurs,
  inputsAreGood,
} as const satisfies Record<string, Gate>

function selectorIsReadable({ selectorProblem }: Facts): Block | undefined {
  return selectorProblem === undefined
    ? undefined
    : degraded(renderReasons.badSelector, `spec.machineConfigSelector: ${selectorProblem}`)
}

/** As good as certainly a mistake: it would also take what is meant for other pools. */
function selectsNotEverything({ pool }: Facts): Block | undefined {
  const selector = pool.spec.machineConfigSelector
  if (!selector) return undefined
  const terms =
    Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length
  if (terms > 0) return undefined
  return degraded(
    renderReasons.selectingAll,
    'spec.machineConfigSelector is {}, which would select all MachineConfigs; name the labels of those that are meant',
  )
}

function controllerConfigExists({ controllerConfig }: Facts): Block | undefined {
  return controllerConfig
    ? undefined
    : waiting(
        renderReasons.controllerConfigMissing,
        `waits for ControllerConfig ${names.controllerConfig}, which does not exist yet; the operator makes it`,
      )
}

/** While a new version takes over, the old controller leaves the new one's facts alone. */
function controllerConfigIsOurs({ controllerConfig, maker }: Facts): Block | undefined {
  const theirs = controllerConfig!.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  if (theirs === maker.version) return undefined
  const found = theirs === '' ? 'does not say of which version it is' : `is of version ${theirs}`
  return waiting(
    renderReasons.controllerConfigVersion,
    `waits for ControllerConfig ${names.controllerConfig}: it ${found}, and this controller is of version ${maker.version}`,
  )
}

function templatesSucceeded({ controllerConfig, pool }: Facts): Block | undefined {
  const { failing } = templateState(controllerConfig!, pool)
  return (
    failing &&
    degraded(
      renderReasons.templatesFailed,
      `the templates of ControllerConfig ${names.controllerConfig} failed: ${failing.message || failing.reason || 'it does not say why'}`,
    )
  )
}

function templatesAreDone({ controllerConfig, pool }: Facts): Block | undefined {
  const { isDone, obstacle } = templateState(controllerConfig!, pool)
  if (isDone) return undefined
  const why = obstacle === undefined ? '' : `: ${obstacle}`
  return waiting(
    renderReasons.templatesNotDone,
    `waits until the templates of ControllerConfig ${names.controllerConfig} are done${why}`,
  )
}

/**
 * The ControllerConfig may be seen before what was made from it, and some of that before the rest. Half of it would give a
 * configuration that nobody meant, and roll it out.
 */
function templatesAreSeen({ controllerConfig, pool, fromTemplates }: Facts): Block | undefined {
  const unseen = unseenTemplate(controllerConfig!, pool, fromTemplates)
  return unseen === undefined
    ? undefined
    : waiting(renderReasons.staleMachineConfig, `waits for MachineConfig ${unseen}`)
}

function nodeSettingsAreDone({ nodeSettings }: Facts): Block | undefined {
  for (const settings of nodeSettings) {
    const block = settingsBlock(settings)
    if (block) return block
  }
  return undefined
}

/** What became of it in other pools is no matter here. */
function settingsBlock({ kind, object, isMade }: NodeSettings): Block | undefined {
  if (isMade) return undefined
  const { metadata, status } = object
  const what = `${kind} ${metadata.name}`
  const last = status?.conditions?.at(-1)
  const notDone = waiting(
    renderReasons.settingsNotDone,
    `waits for ${what}, which selects this pool and is not turned into a MachineConfig yet`,
  )
  if (!last || metadata.generation !== status?.observedGeneration) return notDone
  const { success, accepted } = nodeSettingsConditions
  const isGood = last.type === success || (last.type === accepted && last.status === 'True')
  // It may have been good before this pool came, or had the labels that are asked for.
  if (isGood) return notDone
  return degraded(
    renderReasons.settingsFailed,
    `${what}, which selects this pool, failed: ${last.message || last.reason || 'it does not say why'}`,
  )
}

function somethingIsSelected({ inputs, pool }: Facts): Block | undefined {
  if (inputs.length > 0) return undefined
  const selector = pool.spec.machineConfigSelector
  return degraded(
    renderReasons.noMachineConfigs,
    selector
      ? `no MachineConfigs found matching selector ${JSON.stringify(selector)}`
      : 'no MachineConfigs found: spec.machineConfigSelector is missing, so nothing is selected',
  )
}

/** Merging what the last version made with what this one made would give a configuration that neither meant. */
function inputsAreOurs({ inputs, maker }: Facts): Block | undefined {
  const stale = inputs.find(({ generatedBy }) => generatedBy !== '' && generatedBy !== maker.build)
  if (!stale) return undefined
  const todo =
    stale.madeFrom === undefined
      ? `nobody makes it any more: delete it, or take away its annotation ${annotations.generatedByController} to keep it as it is`
      : `${stale.madeFrom}, from which it is made, says why`
  return waiting(
    renderReasons.staleMachineConfig,
    `waits for MachineConfig ${stale.name} to be made anew: it is by controller build ${stale.generatedBy}, and this is ${maker.build}; if it stays so, ${todo}`,
  )
}

function inputsAreGood({ inputs }: Facts): Block | undefined {
  const bad = inputs.filter(({ problems }) => problems.length > 0)
  if (bad.length === 0) return undefined
  const problems = bad.flatMap((input) => input.problems)
  return degraded(
    renderReasons.badMachineConfig,
    `MachineConfig ${bad.map(({ name }) => name).join(', ')}: ${someOf(problems)}`,
  )
}

export function degraded(reason: string, message: string): Block {
  return { waiting: false, reason, message }
}

function waiting(reason: string, message: string): Block {
  return { waiting: true, reason, message }
}

/** Enough to act on. */
export function someOf(problems: readonly string[], most = 5): string {
  const more = problems.length - most
  const shown = problems.slice(0, most).join('; ')
  return more > 0 ? `${shown}; and ${more} more` : shown
}
