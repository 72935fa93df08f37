import { conditionOf, roleTemplatesFailing } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import { otherMakerOf, otherOperatorInWords, otherOperatorOf } from '../../api/maker.ts'
import { names, secrets as fixedSecrets } from '../../api/names.ts'
import { templateEvents, templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig, MachineConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled } from '@machinist/core/errors'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import { madeFromTemplates } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import { otherMakerMessage, store } from '../generated/store.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import { removeStale } from './act.ts'
import type { TemplateInformers } from './caches.ts'
import type { Problem, RoleDecision } from './decide.ts'
import { decide, rolesOf } from './decide.ts'
import { gather } from './gather.ts'
import { machineConfigOf } from './machine-config.ts'
import { obstacleOf } from './obstacle.ts'
import { pullSecretKey } from './pull-secret.ts'
import { recordStored } from './record.ts'
import type { RoleReport } from './status.ts'
import { isStored, showStatus } from './status.ts'
import type { TemplateSet } from './template-set.ts'

export interface TemplateOptions {
  readonly client: KubeClient
  readonly informers: TemplateInformers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  readonly maker: Maker
  readonly templates: TemplateSet
  /** Receives what is not stored because another controller's MachineConfigs are in its place. */
  readonly withheld?: WithheldTemplates
}

/** What nobody tells of is looked at this often: a pull secret that is not the usual one, what the server refuses. */
const unfollowedMs = 60_000
const refusals: ReadonlySet<string> = new Set([
  templateReasons.refused,
  templateReasons.pullSecretUnreadable,
])

/** ControllerConfig → the MachineConfigs of the built-in roles. The key is the ControllerConfig's name. */
export function templateController(options: TemplateOptions): Controller {
  return new TemplateController(options)
}

class TemplateController implements Controller {
  readonly name = 'template'
  readonly outputs = ['MachineConfig', 'ControllerConfig']
  readonly inputs: readonly Input[]
  readonly #options: TemplateOptions
  readonly #failing: Gauge<'role'>
  /** What the templates came to last: whoever makes a MachineConfig of such a name wakes us. */
  #names: ReadonlySet<string> = new Set()
  /** The last event of each role on a ControllerConfig of another operator, which has no condition that says it. */
  readonly #reported = new Map<string, string>()

  constructor(options: TemplateOptions) {
    this.#options = options
    this.#failing = options.metrics.gauge({
      name: 'machinist_templates_failing',
      help: 'Whether the templates of a role cannot be turned into MachineConfigs.',
      labels: ['role'],
    })
    const { informers } = options
    this.inputs = [
      input({ resource: 'ControllerConfig', informer: informers.controllerConfigs }),
      input({
        resource: 'MachineConfig',
        informer: informers.machineConfigs,
        keys: (change) => this.#concerned(change),
      }),
      input({
        resource: 'Secret',
        informer: informers.pullSecrets,
        keys: () => [names.controllerConfig],
      }),
    ]
  }

  async reconcile(key: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, clock, informers } = this.#options
    const controllerConfig = informers.controllerConfigs.get(key)
    // There is one, and only under its own name: two would fight over the same MachineConfigs.
    if (key !== names.controllerConfig || !controllerConfig) return settled
    if (controllerConfig.metadata.deletionTimestamp) return settled

    const failures: unknown[] = []
    const reports = await this.#round(controllerConfig, signal, failures)
    this.#tell(controllerConfig, reports)
    // Another operator's template controller owns the status of that operator's ControllerConfig.
    if (otherOperatorOf(controllerConfig) === undefined) {
      await showStatus(controllerConfig, reports, { client, clock, signal })
    }

    if (failures.length > 0) throw failures[0]
    const problems = reports.flatMap(({ role, problem }) => (problem ? [{ role, problem }] : []))
    for (const { role, problem } of problems) {
      log.info('the templates of a role cannot be used', { role, why: problem.message })
    }
    // The rights or the rules of admission that refused it may change.
    const isRefused = problems.some(({ problem }) => refusals.has(problem.reason))
    if (isRefused || !isFollowed(controllerConfig)) return requeueAfter(unfollowedMs)
    const [first] = problems
    if (first) throw new Stalled(first.problem.reason, `${first.role}: ${first.problem.message}`)
    return settled
  }

  /** Works out and stores what each role comes to. Whatever fails, there is a report for each role. */
  async #round(
    controllerConfig: ControllerConfig,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<RoleReport[]> {
    const { client, templates } = this.#options
    const reports: RoleReport[] = []
    try {
      const decisions = decide(await gather(controllerConfig, { client, templates, signal }))
      this.#names = new Set(decisions.flatMap(namesOf))
      for (const decision of decisions) {
        reports.push(await this.#apply(decision, controllerConfig, signal, failures))
      }
      if (otherOperatorOf(controllerConfig) !== undefined) return reports
      await this.#tidy(reports, signal, failures)
      // Before the status says that all is done: whoever sees that has seen this.
      await recordStored(controllerConfig, decisions, reports, { client, signal })
      return reports
    } catch (error) {
      failures.push(error)
      const unfinished = obstacleOf(error)
      return rolesOf(controllerConfig).map((role) => {
        const report = reports.find((one) => one.role === role) ?? { role }
        return report.problem ? report : { role, unfinished }
      })
    }
  }

  /** Stores what a role came to. What fails is noted, and the next role has its turn all the same. */
  async #apply(
    { role, result }: RoleDecision,
    controllerConfig: ControllerConfig,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<RoleReport> {
    const { client, informers, maker, withheld } = this.#options
    if ('problem' in result) {
      withheld?.set(role, undefined)
      return { role, problem: result.problem }
    }
    const made = result.parts.map((part) => machineConfigOf(part, role, controllerConfig, maker))
    const theirs = this.#theirs(role, made) ?? leftToOther(controllerConfig)
    withheld?.set(role, theirs ? made : undefined)
    if (theirs) return { role, problem: theirs }
    const problems: Problem[] = []
    let unfinished: string | undefined
    for (const wanted of made) {
      const { name } = wanted.metadata
      const stored = informers.machineConfigs.get(name)
      try {
        const problem = await store(wanted, stored, { client, signal })
        if (problem) {
          problems.push({ reason: templateReasons[problem.why], message: problem.message })
        }
      } catch (error) {
        failures.push(error)
        unfinished ??= `MachineConfig ${name}: ${obstacleOf(error)}`
      }
    }
    const [problem] = problems
    return { role, ...(unfinished && { unfinished }), ...(problem && { problem }) }
  }

  /**
   * A role that has templates of another controller gets none of ours: half of theirs and half of ours would be a
   * configuration that nobody meant, and the other controller would reject ours.
   */
  #theirs(role: string, made: readonly MachineConfig[]): Problem | undefined {
    const { machineConfigs } = this.#options.informers
    const stored = [
      ...made.flatMap(({ metadata }) => machineConfigs.get(metadata.name) ?? []),
      ...madeFromTemplates(machineConfigs).filter(
        ({ metadata }) => metadata.labels?.[labels.role] === role,
      ),
    ]
    const theirs = stored.find((one) => otherMakerOf(one) !== undefined)
    return theirs && { reason: templateReasons.otherMaker, message: otherMakerMessage(theirs) }
  }

  /** A role that could not be worked out, or not be stored, keeps all that it has. */
  async #tidy(
    reports: readonly RoleReport[],
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<void> {
    const { client, informers } = this.#options
    const done = new Set(reports.filter(isStored).map(({ role }) => role))
    try {
      const made = madeFromTemplates(informers.machineConfigs)
      await removeStale(made, this.#names, done, { client, signal })
    } catch (error) {
      failures.push(error)
    }
  }

  /** A MachineConfig that is or was ours, or has a name that ours should have; others make no work. */
  #concerned(change: Change<MachineConfig>): string[] {
    const versions = change.type === 'updated' ? [change.before, change.object] : [change.object]
    const isOurs = versions.some((one) => owningControllerConfig(one) === names.controllerConfig)
    const isNamesake = this.#names.has(change.object.metadata.name)
    return isOurs || isNamesake ? [names.controllerConfig] : []
  }

  /** Tells what is new: the condition on the object says what was told before. */
  #tell(controllerConfig: ControllerConfig, reports: readonly RoleReport[]): void {
    const { events } = this.#options
    for (const { role, problem } of reports) {
      this.#failing.set({ role }, problem ? 1 : 0)
      const told = this.#toldOf(controllerConfig, role)
      this.#reported.set(role, problem?.message ?? '')
      if (!problem || told === problem.message) continue
      const message = `the templates of ${role} cannot be used: ${problem.message}`
      const about = referenceTo(controllerConfigs, controllerConfig)
      events.warning(about, templateEvents.templatesFailed, message)
    }
  }

  #toldOf(controllerConfig: ControllerConfig, role: string): string | undefined {
    if (otherOperatorOf(controllerConfig) !== undefined) return this.#reported.get(role)
    return conditionOf(controllerConfig.status?.conditions, roleTemplatesFailing(role))?.message
  }
}

/** A ControllerConfig of another operator is a base of plans only, also for roles that have no MachineConfigs yet. */
function leftToOther(controllerConfig: ControllerConfig): Problem | undefined {
  if (otherOperatorOf(controllerConfig) === undefined) return undefined
  const what = `ControllerConfig ${controllerConfig.metadata.name}`
  const message = `${what} was written by ${otherOperatorInWords(controllerConfig)}, and Machinist makes no MachineConfigs from it; see docs/install.md, "Clusters that MCO runs"`
  return { reason: templateReasons.otherMaker, message }
}

const namesOf = ({ result }: RoleDecision): string[] =>
  'parts' in result ? result.parts.map(({ name }) => name) : []

function isFollowed({ spec }: ControllerConfig): boolean {
  const key = pullSecretKey(spec.pullSecret)
  return key === undefined || keyText(key) === keyText(fixedSecrets.pullSecret)
}
