import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled, Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { configsOwnedBy } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import { applyPlan, finalize } from './act.ts'
import type { SettingsReport } from './conditions.ts'
import { isUndecided, newEvents } from './conditions.ts'
import type { NodeSettingsPlan, PoolWait } from './decide.ts'
import { decideNodeSettings } from './decide.ts'
import type { NodeSettingsFacts } from './facts.ts'
import type { SettingsFailure } from './failure.ts'
import { groupByPool } from './failure.ts'
import type { NodeSettingsCaches } from './gather.ts'
import { gatherNodeSettings } from './gather.ts'
import { inputsOf } from './inputs.ts'
import { annotatedSuffix } from './names.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'
import { reportStatus } from './report.ts'

export interface NodeSettingsOptions {
  readonly client: KubeClient
  readonly caches: NodeSettingsCaches
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/** Requeue interval for causes that no watch event announces, such as a rejected write. */
const requeueAfterMs = 60_000

/** Objects of a settings kind → MachineConfigs of the selected pools. The key is the name of the object. */
export function nodeSettingsController<T extends NodeSettings, Context>(
  kind: SettingsKind<T, Context>,
  options: NodeSettingsOptions,
): Controller {
  return new NodeSettingsController(kind, options)
}

class NodeSettingsController<T extends NodeSettings, Context> implements Controller {
  readonly name: string
  readonly outputs: readonly string[]
  readonly inputs: readonly Input[]
  readonly #kind: SettingsKind<T, Context>
  readonly #options: NodeSettingsOptions
  readonly #failing: SettingsFailing

  constructor(kind: SettingsKind<T, Context>, options: NodeSettingsOptions) {
    this.#kind = kind
    this.#options = options
    this.name = kind.controller
    this.outputs = ['MachineConfig', kind.resource.kind]
    this.inputs = inputsOf(kind, options.caches)
    this.#failing = settingsFailing(options.metrics)
  }

  async reconcile(name: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, caches } = this.#options
    const { resource, objects } = this.#kind
    const object = objects.get(name)
    if (!object || object.metadata.deletionTimestamp) {
      this.#failing.forget({ kind: resource.kind, name })
      if (!object) return settled
      const made = configsOwnedBy(object, caches.machineConfigs)
      await finalize(object, made, this.#kind, { client, signal })
      return settled
    }
    const planned = await this.#plan(object, signal)
    if (!planned) return settled
    const { facts, plan } = planned
    const { stored } = facts
    const refused = await applyPlan(facts.object, plan, resource, { client, signal, stored })
    const { overridden, waits } = plan
    const failures = [...plan.failures, ...refused]
    const ineffective = this.#kind.ineffective(facts.object)
    await this.#report(facts.object, { failures, waits, ineffective, overridden }, signal)
    if (failures.length > 0) {
      log.info('cannot apply settings', { kind: resource.kind, why: groupByPool(failures) })
    }
    return outcomeOf(failures, waits)
  }

  /** Assigns suffixes based on a fresh list of all objects: the cache may not have the latest writes yet. */
  async #plan(
    object: Readonly<T>,
    signal: AbortSignal,
  ): Promise<{ facts: NodeSettingsFacts<T, Context>; plan: NodeSettingsPlan } | undefined> {
    const { client } = this.#options
    const { resource, objects } = this.#kind
    const facts = gatherNodeSettings(object, objects.list(), this.#kind, this.#options)
    const plan = decideNodeSettings(facts, this.#kind)
    if (plan.suffix === undefined || plan.suffix === annotatedSuffix(object)) return { facts, plan }
    const all: T[] = []
    for await (const one of client.listAll(resource, { signal })) all.push(one)
    const newest = all.find(({ metadata }) => metadata.uid === object.metadata.uid)
    if (!newest || newest.metadata.deletionTimestamp) return undefined
    const newer = gatherNodeSettings(newest, all, this.#kind, this.#options)
    return { facts: newer, plan: decideNodeSettings(newer, this.#kind) }
  }

  async #report(object: Readonly<T>, report: SettingsReport, signal: AbortSignal): Promise<void> {
    const { client, events } = this.#options
    const { resource } = this.#kind
    const { name } = object.metadata
    const isFailing = report.failures.length > 0
    if (!isUndecided(report)) this.#failing.set({ kind: resource.kind, name }, isFailing ? 1 : 0)
    const about = referenceTo(resource, object)
    for (const { isFailure, reason, message } of newEvents(object, report, resource.kind)) {
      if (isFailure) events.warning(about, reason, message)
      else events.normal(about, reason, message)
    }
    await reportStatus(object, report, this.#kind, { client, signal })
  }
}

function outcomeOf(failures: readonly SettingsFailure[], waits: readonly PoolWait[]): Outcome {
  if (waits.length > 0) {
    throw new Waiting(nodeSettingsReasons.templatesNotDone, groupByPool(waits), requeueAfterMs)
  }
  const [first] = failures
  if (!first) return settled
  // RBAC or admission policies that rejected the write may change without a watch event.
  const isRefused = failures.some(({ reason }) => reason === nodeSettingsReasons.refused)
  if (isRefused) return requeueAfter(requeueAfterMs)
  throw new Stalled(first.reason, groupByPool(failures))
}
