import type { KubeObject } from '@machinist/core/objects/resource'
import type { TypeOf } from '../schema/schema.ts'
import { ageColumn, countColumn, kind } from '../schema/kind.ts'
import { boolean, integer, object } from '../schema/schema.ts'
import { labelSelector } from '../schema/shapes.ts'
import { drainPolicies } from './resources.ts'

const spec = object('Drain settings for the nodes of the pool.', {
  timeoutSeconds: integer(
    'Seconds after which an unfinished drain emits an event and raises an alert. The drain continues. Defaults to 3600.',
    { minimum: 60 },
  ),
  gracePeriodSeconds: integer(
    'Grace period for evicted pods, in seconds. Overrides terminationGracePeriodSeconds of the pods.',
    { minimum: 0 },
  ),
  forceAfterSeconds: integer(
    'Seconds after which pods that cannot be evicted are deleted, which violates their PodDisruptionBudgets. If not set, pods are never deleted.',
    { minimum: 0 },
  ),
  skipPodSelector: labelSelector(
    'Pods with these labels are not evicted. If not set or empty, all pods are evicted.',
  ),
  keepCordoned: boolean(
    'Whether a node that was already cordoned when its drain started stays cordoned after the update. Defaults to false: the node is uncordoned.',
  ),
})

export interface DrainPolicySpec extends TypeOf<typeof spec> {}

export interface DrainPolicy extends KubeObject {
  spec: DrainPolicySpec
}

export const drainPolicyKind = kind(
  drainPolicies,
  'DrainPolicy changes how the nodes of a pool are drained. Its name is the name of the MachineConfigPool.',
  {
    columns: [
      countColumn('Timeout', '.spec.timeoutSeconds'),
      countColumn('ForceAfter', '.spec.forceAfterSeconds'),
      ageColumn,
    ],
    spec,
  },
)
