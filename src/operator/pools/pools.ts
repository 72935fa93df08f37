import { actionProhibited } from '../../api/reasons.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { ObjectReference } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import {
  isConflict,
  isNotFound,
  isRefused,
  refusalInWords,
  withoutQuotes,
} from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import { writePool, writeUserData } from './act.ts'
import type { PoolsInformers } from './caches.ts'
import type { Plan, UserDataChange } from './decide.ts'
import { decide, noMachineAPI } from './decide.ts'
import { gather } from './gather.ts'
import { inputsOf } from './inputs.ts'
import type { PointerVersion } from './pointer.ts'
import { userDataKey } from './user-data.ts'

export interface PoolsOptions {
  readonly client: KubeClient
  readonly informers: PoolsInformers
  readonly events: EventRecorder
  readonly reports: TaskReports
  readonly clock: Clock
  /** Of the Ignition config that new machines are born with; the newest unless said. */
  readonly pointerVersion?: PointerVersion
}

/** The rights or the rules of admission that refused something may change. */
const refusedMs = 60_000

/** The built-in pools, and for every pool what its new machines are born with. The key is the pool's name. */
export function poolsController(options: PoolsOptions): Controller {
  return new PoolsController(options)
}

class PoolsController implements Controller {
  readonly name = 'pools'
  readonly outputs = ['MachineConfigPool', 'Secret']
  readonly inputs: readonly Input[]
  readonly #options: PoolsOptions
  /** Why a pool has no user data, as it was told last; what concerns all pools is under ''. */
  readonly #told = new Map<string, string>()

  constructor(options: PoolsOptions) {
    this.#options = options
    this.inputs = inputsOf(options.informers, options.clock)
  }

  async reconcile(name: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, informers, reports, pointerVersion } = this.#options
    const facts = gather(name, informers)
    const plan = decide({ ...facts, ...(pointerVersion && { version: pointerVersion }) })
    this.#tellSkipped(name, plan.userData, log)
    const failures: unknown[] = []
    const refused: string[] = []
    for (const [what, write] of writesOf(name, plan)) {
      try {
        if (await write({ client, signal })) log.info('wrote what a pool needs', { what })
      } catch (error) {
        if (isRefused(error)) refused.push(refusalInWords(what, error))
        // A namespace or a pool that has just gone: the cache will tell.
        else if (!isNotFound(error)) failures.push(withoutQuotes(error))
      }
    }
    const [first] = refused
    if (first === undefined) reports.done('MachineConfigPools', name)
    else this.#tellRefused(name, first, log)
    const isConflicting = failures.length > 0 && failures.every(isConflict)
    if (isConflicting)
      throw new Waiting('Changed', `pool ${name} was changed in between`, catchUpMs)
    if (failures.length > 0) throw failures[0]
    return first === undefined ? settled : requeueAfter(refusedMs)
  }

  #tellSkipped(name: string, change: UserDataChange | undefined, log: Logger): void {
    const why = change && 'skipped' in change ? change.skipped : ''
    const about = why === noMachineAPI ? '' : name
    if ((this.#told.get(about) ?? '') === why) return
    this.#told.set(about, why)
    if (why !== '') log.info('no user data for new machines', { why })
  }

  #tellRefused(name: string, message: string, log: Logger): void {
    const { events, reports } = this.#options
    if (!reports.failed('MachineConfigPools', name, message)) return
    log.info('what a pool needs was refused', { why: message })
    events.warning(referenceTo(name), actionProhibited, message)
  }
}

type Write = (options: { client: KubeClient; signal: AbortSignal }) => Promise<boolean>

function writesOf(name: string, { pool, userData }: Plan): [what: string, write: Write][] {
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

/** It may be what cannot be made. */
const referenceTo = (name: string): ObjectReference => ({
  apiVersion: apiVersionOf(machineConfigPools),
  kind: machineConfigPools.kind,
  name,
})
