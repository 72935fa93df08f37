import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled, Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { madeFrom } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import { act, letGo } from './act.ts'
import type { Verdict } from './conditions.ts'
import { isOpen, newsIn } from './conditions.ts'
import type { Plan, Wait } from './decide.ts'
import { decide } from './decide.ts'
import type { Facts } from './facts.ts'
import type { Failure } from './failure.ts'
import { byPool } from './failure.ts'
import type { NodeSettingsCaches } from './gather.ts'
import { gather } from './gather.ts'
import { inputsOf } from './inputs.ts'
import { annotatedSuffix } from './names.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'
import { showStatus } from './status.ts'

export interface NodeSettingsOptions {
  readonly client: KubeClient
  readonly caches: NodeSettingsCaches
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly maker: Maker
}

/** What nobody tells of is looked at this often: what the server refuses. */
const unfollowedMs = 60_000

/** Settings of a kind → MachineConfigs of the pools that they select. The key is the object's name. */
export function nodeSettingsController<T extends NodeSettings, World>(
  kind: SettingsKind<T, World>,
  options: NodeSettingsOptions,
): Controller {
  return new NodeSettingsController(kind, options)
}

class NodeSettingsController<T extends NodeSettings, World> implements Controller {
  readonly name: string
  readonly outputs: readonly string[]
  readonly inputs: readonly Input[]
  readonly #kind: SettingsKind<T, World>
  readonly #options: NodeSettingsOptions
  readonly #failing: SettingsFailing

  constructor(kind: SettingsKind<T, World>, options: NodeSettingsOptions) {
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
      const made = madeFrom(object, caches.machineConfigs)
      await letGo(object, made, this.#kind, { client, signal })
      return settled
    }
    const planned = await this.#planned(object, signal)
    if (!planned) return settled
    const { facts, plan } = planned
    const { stored } = facts
    const refused = await act(facts.object, plan, resource, { client, signal, stored })
    const { overridden, waits } = plan
    const failures = [...plan.failures, ...refused]
    const idle = this.#kind.idle(facts.object)
    await this.#tell(facts.object, { failures, waits, idle, overridden }, signal)
    if (failures.length > 0) {
      log.info('settings cannot be used', { kind: resource.kind, why: byPool(failures) })
    }
    return outcomeOf(failures, waits)
  }

  /** Who gets which name is decided on the newest state of all objects: a cache may not have seen yet what we wrote last. */
  async #planned(
    object: Readonly<T>,
    signal: AbortSignal,
  ): Promise<{ facts: Facts<T, World>; plan: Plan } | undefined> {
    const { client } = this.#options
    const { resource, objects } = this.#kind
    const facts = gather(object, objects.list(), this.#kind, this.#options)
    const plan = decide(facts, this.#kind)
    if (plan.suffix === undefined || plan.suffix === annotatedSuffix(object)) return { facts, plan }
    const all: T[] = []
    for await (const one of client.listAll(resource, { signal })) all.push(one)
    const newest = all.find(({ metadata }) => metadata.uid === object.metadata.uid)
    if (!newest || newest.metadata.deletionTimestamp) return undefined
    const newer = gather(newest, all, this.#kind, this.#options)
    return { facts: newer, plan: decide(newer, this.#kind) }
  }

  async #tell(object: Readonly<T>, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const { client, events } = this.#options
    const { resource } = this.#kind
    const { name } = object.metadata
    const isFailing = verdict.failures.length > 0
    if (!isOpen(verdict)) this.#failing.set({ kind: resource.kind, name }, isFailing ? 1 : 0)
    const about = referenceTo(resource, object)
    for (const { isFailure, reason, message } of newsIn(object, verdict, resource.kind)) {
      if (isFailure) events.warning(about, reason, message)
      else events.normal(about, reason, message)
    }
    await showStatus(object, verdict, this.#kind, { client, signal })
  }
}

function outcomeOf(failures: readonly Failure[], waits: readonly Wait[]): Outcome {
  if (waits.length > 0) {
    throw new Waiting(nodeSettingsReasons.templatesNotDone, byPool(waits), unfollowedMs)
  }
  const [first] = failures
  if (!first) return settled
  // The rights or the rules of admission that refused it may change.
  const isRefused = failures.some(({ reason }) => reason === nodeSettingsReasons.refused)
  if (isRefused) return requeueAfter(unfollowedMs)
  throw new Stalled(first.reason, byPool(failures))
}
