import { Waiting } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import { isConflict } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { PointerVersion } from '../../fleet/provisioning/pointer.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { PoolsCaches } from './inputs.ts'
import { poolsInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { PoolsPass } from './report.ts'
import { announce, report } from './report.ts'
import { SkippedUserData } from './skipped-user-data.ts'

export interface PoolsSettings {
  /** Receives the writes that the API server refuses. */
  readonly reports: TaskReports
  /** The spec version of the pointer Ignition config; the newest by default. */
  readonly pointerVersion?: PointerVersion
}

/** Requeue interval after a rejected write: RBAC or admission policies may change. */
const requeueAfterMs = 60_000

/** Creates the built-in pools, and the user data of every pool. The key is the name of the pool. */
export function poolsController(
  context: ControllerContext,
  caches: PoolsCaches,
  { reports, pointerVersion }: PoolsSettings,
): Controller {
  const skipped = new SkippedUserData()
  return stepController(context, {
    name: 'pools',
    inputs: poolsInputs(caches, context.clock),
    outputs: ['MachineConfigPool', 'Secret'],
    gather: (name) => gather(name, caches, pointerVersion),
    decide,
    announce: (plan, facts, step) => announce(plan, facts, skipped, step),
    act,
    report: (pass, step) => report(pass, reports, step),
    next,
  })
}

function next({ key, result }: PoolsPass & { readonly type: 'acted' }): Outcome {
  const { refusal, failures } = result
  if (failures.length > 0 && failures.every(isConflict)) {
    throw new Waiting('Changed', `pool ${key} was changed concurrently`, catchUpMs)
  }
  if (failures.length > 0) throw failures[0]
  return refusal === undefined ? settled : requeueAfter(requeueAfterMs)
}
