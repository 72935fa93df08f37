import { actionProhibited } from '../../api/reasons.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { ObjectReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import {
  isConflict,
  isNotFound,
  isRefused,
  describeRefusal,
  withoutServerMessage,
} from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import { writePool, writeUserData } from './act.ts'
import type { PoolsCaches } from './caches.ts'
import type { PoolsPlan, UserDataChange } from './decide.ts'
import { decidePool, noMachineAPI } from './decide.ts'
import { gatherPool } from './gather.ts'
import { inputsOf } from './inputs.ts'
import type { PointerVersion } from './pointer.ts'
import { userDataKey } from './user-data.ts'

export interface PoolsOptions {
  readonly client: KubeClient
  readonly informers: PoolsCaches
  readonly events: EventRecorder
  readonly reports: TaskReports
  readonly clock: Clock
  /** The spec version of the pointer Ignition config; the newest by default. */
  readonly pointerVersion?: PointerVersion
}

/** Requeue interval after a rejected write: RBAC or admission policies may change. */
const requeueAfterMs = 60_000

/** Creates the built-in pools, and the user data of every pool. The key is the name of the pool. */
export function poolsController(options: PoolsOptions): Controller {
  return new PoolsController(options)
}

class PoolsController implements Controller {
  readonly name = 'pools'
  readonly outputs = ['MachineConfigPool', 'Secret']
  readonly inputs: readonly Input[]
  readonly #options: PoolsOptions
  /** The last logged reason why a pool has no user data; '' for all pools. */
  readonly #logged = new Map<string, string>()

  constructor(options: PoolsOptions) {
    this.#options = options
    this.inputs = inputsOf(options.informers, options.clock)
  }

  async reconcile(name: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, informers, reports, pointerVersion } = this.#options
    const facts = gatherPool(name, informers)
    const plan = decidePool({ ...facts, ...(pointerVersion && { version: pointerVersion }) })
    this.#logSkipped(name, plan.userData, log)
    const failures: unknown[] = []
    const refused: string[] = []
    for (const [what, write] of writesOf(name, plan)) {
      try {
        if (await write({ client, signal })) log.info('wrote an object of a pool', { what })
      } catch (error) {
        if (isRefused(error)) refused.push(describeRefusal(what, error))
        // The namespace or pool was deleted concurrently: a watch event follows.
        else if (!isNotFound(error)) failures.push(withoutServerMessage(error))
      }
    }
    const [first] = refused
    if (first === undefined) reports.done('MachineConfigPools', name)
    else this.#reportRefused(name, first, log)
    const isConflicting = failures.length > 0 && failures.every(isConflict)
    if (isConflicting)
      throw new Waiting('Changed', `pool ${name} was changed concurrently`, catchUpMs)
    if (failures.length > 0) throw failures[0]
    return first === undefined ? settled : requeueAfter(requeueAfterMs)
  }

  #logSkipped(name: string, change: UserDataChange | undefined, log: Logger): void {
    const why = change && 'skipped' in change ? change.skipped : ''
    const about = why === noMachineAPI ? '' : name
    if ((this.#logged.get(about) ?? '') === why) return
    this.#logged.set(about, why)
    if (why !== '') log.info('cannot write user data for new machines', { why })
  }

  #reportRefused(name: string, message: string, log: Logger): void {
    const { events, reports } = this.#options
    if (!reports.failed('MachineConfigPools', name, message)) return
    log.info('cannot write an object of a pool', { why: message })
    events.warning(poolReference(name), actionProhibited, message)
  }
}

type Write = (options: { client: KubeClient; signal: AbortSignal }) => Promise<boolean>

function writesOf(name: string, { pool, userData }: PoolsPlan): [what: string, write: Write][] {
  const secret = userDataKey(name)
  const writes: [string, Write][] = []
  if (pool) {
    writes.push([`MachineConfigPool ${name}`, (options) => writePool(name, pool, options)])
  }
  if (userData && !('skipped' in userData)) {
    const what = `Secret ${secret.namespace}/${secret.name}`
    writes.push([what, (options) => writeUserData(name, userData, options)])
  }
  return writes
}

/** By name, because the pool may not exist. */
const poolReference = (name: string): ObjectReference => ({
  apiVersion: apiVersionOf(machineConfigPools),
  kind: machineConfigPools.kind,
  name,
})
