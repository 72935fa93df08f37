import { conditionOf, roleTemplatesFailing } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import { otherMakerOf, describeOtherOperator, otherOperatorOf } from '../../api/maker.ts'
import { names, secrets as fixedSecrets } from '../../api/names.ts'
import { templateEvents, templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled } from '@machinist/core/errors'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import { configsOfTemplates } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import { otherMakerMessage, storeConfig } from '../generated/store.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import { deleteStaleConfigs } from './act.ts'
import type { TemplateInformers } from './caches.ts'
import type { RoleProblem, RoleDecision } from './decide.ts'
import { decide, rolesOf } from './decide.ts'
import { gather } from './gather.ts'
import { machineConfigOf } from './machine-config.ts'
import { describeObstacle } from './obstacle.ts'
import { pullSecretKey } from './pull-secret.ts'
import { recordStored } from './record.ts'
import type { RoleReport } from './status.ts'
import { isStored, writeStatus } from './status.ts'
import type { TemplateSet } from './template-set.ts'

export interface TemplateOptions {
  readonly client: KubeClient
  readonly informers: TemplateInformers
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  readonly maker: Maker
  readonly templates: TemplateSet
  /** Receives templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates
}

/** Requeue interval for changes without an event: another pull secret, or a rejected write. */
const requeueMs = 60_000
const refusals: ReadonlySet<string> = new Set([
  templateReasons.refused,
  templateReasons.pullSecretUnreadable,
])

/** Generates the MachineConfigs of the built-in roles from the ControllerConfig. The key is the name of the ControllerConfig. */
export function templateController(options: TemplateOptions): Controller {
  return new TemplateController(options)
}

class TemplateController implements Controller {
  readonly name = 'template'
  readonly outputs = ['MachineConfig', 'ControllerConfig']
  readonly inputs: readonly Input[]
  readonly #options: TemplateOptions
  readonly #failing: Gauge<'role'>
  /** Names of the last rendering: a change of a MachineConfig with such a name triggers a reconcile. */
  #names: ReadonlySet<string> = new Set()
  /** The last event per role for a ControllerConfig of another operator, which gets no condition. */
  readonly #reported = new Map<string, string>()

  constructor(options: TemplateOptions) {
    this.#options = options
    this.#failing = options.metrics.gauge({
      name: 'machinist_templates_failing',
      help: '1 if the templates of a role fail to render or to be stored, else 0.',
      labels: ['role'],
    })
    const { informers } = options
    this.inputs = [
      input({ resource: 'ControllerConfig', informer: informers.controllerConfigs }),
      input({
        resource: 'MachineConfig',
        informer: informers.machineConfigs,
        keys: (change) => this.#keysOf(change),
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
    // Only one name is valid: two ControllerConfigs would overwrite each other's MachineConfigs.
    if (key !== names.controllerConfig || !controllerConfig) return settled
    if (controllerConfig.metadata.deletionTimestamp) return settled

    const failures: unknown[] = []
    const reports = await this.#renderRoles(controllerConfig, signal, failures)
    this.#report(controllerConfig, reports)
    // Another operator's template controller owns the status of that operator's ControllerConfig.
    if (otherOperatorOf(controllerConfig) === undefined) {
      await writeStatus(controllerConfig, reports, { client, clock, signal })
    }

    if (failures.length > 0) throw failures[0]
    const problems = reports.flatMap(({ role, problem }) => (problem ? [{ role, problem }] : []))
    for (const { role, problem } of problems) {
      log.info('templates of a role failed', { role, why: problem.message })
    }
    // RBAC or admission rules that rejected a write may change.
    const isRefused = problems.some(({ problem }) => refusals.has(problem.reason))
    if (isRefused || !isPullSecretWatched(controllerConfig)) return requeueAfter(requeueMs)
    const [first] = problems
    if (first) throw new Stalled(first.problem.reason, `${first.role}: ${first.problem.message}`)
    return settled
  }

  /** Renders and stores each role. Returns a report for every role, even after a failure. */
  async #renderRoles(
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
      await this.#deleteStale(reports, signal, failures)
      // Before the status is Completed, so that readers of the status see the record.
      await recordStored(controllerConfig, decisions, reports, { client, signal })
      return reports
    } catch (error) {
      failures.push(error)
      const unfinished = describeObstacle(error)
      return rolesOf(controllerConfig).map((role) => {
        const report = reports.find((one) => one.role === role) ?? { role }
        return report.problem ? report : { role, unfinished }
      })
    }
  }

  /** Stores the MachineConfigs of a role. Failures are collected and do not stop other roles. */
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
    const generated = result.parts.map((part) =>
      machineConfigOf(part, role, controllerConfig, maker),
    )
    const foreign = this.#foreignProblem(role, generated) ?? otherOperatorProblem(controllerConfig)
    withheld?.set(role, foreign ? generated : undefined)
    if (foreign) return { role, problem: foreign }
    const problems: RoleProblem[] = []
    let unfinished: string | undefined
    for (const desired of generated) {
      const { name } = desired.metadata
      const stored = informers.machineConfigs.get(name)
      try {
        const problem = await storeConfig(desired, stored, { client, signal })
        if (problem) {
          problems.push({ reason: templateReasons[problem.why], message: problem.message })
        }
      } catch (error) {
        failures.push(error)
        unfinished ??= `MachineConfig ${name}: ${describeObstacle(error)}`
      }
    }
    const [problem] = problems
    return { role, ...(unfinished && { unfinished }), ...(problem && { problem }) }
  }

  /**
   * A role with templates of another controller gets none of Machinist: a mixture would render a wrong config, and the other
   * controller would reject it.
   */
  #foreignProblem(role: string, generated: readonly MachineConfig[]): RoleProblem | undefined {
    const { machineConfigs } = this.#options.informers
    const stored = [
      ...generated.flatMap(({ metadata }) => machineConfigs.get(metadata.name) ?? []),
      ...configsOfTemplates(machineConfigs).filter(
        ({ metadata }) => metadata.labels?.[labels.role] === role,
      ),
    ]
    const foreign = stored.find((one) => otherMakerOf(one) !== undefined)
    return foreign && { reason: templateReasons.otherMaker, message: otherMakerMessage(foreign) }
  }

  /** Deletes stale MachineConfigs. A role that failed to render or to be stored keeps all of its own. */
  async #deleteStale(
    reports: readonly RoleReport[],
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<void> {
    const { client, informers } = this.#options
    const done = new Set(reports.filter(isStored).map(({ role }) => role))
    try {
      const existing = configsOfTemplates(informers.machineConfigs)
      await deleteStaleConfigs(existing, this.#names, done, { client, signal })
    } catch (error) {
      failures.push(error)
    }
  }

  /** A MachineConfig triggers a reconcile if it is or was generated here, or has the name of one. */
  #keysOf(change: Change<MachineConfig>): string[] {
    const versions = change.type === 'updated' ? [change.before, change.object] : [change.object]
    const isOurs = versions.some((one) => owningControllerConfig(one) === names.controllerConfig)
    const hasOurName = this.#names.has(change.object.metadata.name)
    return isOurs || hasOurName ? [names.controllerConfig] : []
  }

  /** Emits an event for each new problem; the condition has the previous one. */
  #report(controllerConfig: ControllerConfig, reports: readonly RoleReport[]): void {
    const { events } = this.#options
    for (const { role, problem } of reports) {
      this.#failing.set({ role }, problem ? 1 : 0)
      const previous = this.#previousMessage(controllerConfig, role)
      this.#reported.set(role, problem?.message ?? '')
      if (!problem || previous === problem.message) continue
      const message = `the templates of ${role} failed: ${problem.message}`
      const about = referenceTo(controllerConfigs, controllerConfig)
      events.warning(about, templateEvents.templatesFailed, message)
    }
  }

  #previousMessage(controllerConfig: ControllerConfig, role: string): string | undefined {
    if (otherOperatorOf(controllerConfig) !== undefined) return this.#reported.get(role)
    return conditionOf(controllerConfig.status?.conditions, roleTemplatesFailing(role))?.message
  }
}

/** The ControllerConfig of another operator is used for plans only, even for roles without MachineConfigs. */
function otherOperatorProblem(controllerConfig: ControllerConfig): RoleProblem | undefined {
  if (otherOperatorOf(controllerConfig) === undefined) return undefined
  const name = `ControllerConfig ${controllerConfig.metadata.name}`
  const message = `${name} was written by ${describeOtherOperator(controllerConfig)}, and Machinist generates no MachineConfigs from it; see docs/install.md, "Clusters that MCO runs"`
  return { reason: templateReasons.otherMaker, message }
}

const namesOf = ({ result }: RoleDecision): string[] =>
  'parts' in result ? result.parts.map(({ name }) => name) : []

function isPullSecretWatched({ spec }: ControllerConfig): boolean {
  const key = pullSecretKey(spec.pullSecret)
  return key === undefined || keyText(key) === keyText(fixedSecrets.pullSecret)
}
