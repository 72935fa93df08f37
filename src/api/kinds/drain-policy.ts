import type { KubeObject } from '@machinist/core/resource'
import type { TypeOf } from '../schema/schema.ts'
import { drainPolicies } from '../resources.ts'
import { ageColumn, countColumn, kind } from '../schema/kind.ts'
import { boolean, integer, object } from '../schema/schema.ts'
import { labelSelector } from '../schema/shapes.ts'

const spec = object('How the nodes of the pool are drained.', {
  timeoutSeconds: integer(
    'After this long a drain that is not over raises an alert and an event; it goes on all the same. 3600 by default.',
    { minimum: 60 },
  ),
  gracePeriodSeconds: integer(
    'How long every pod gets to end, instead of what the pod itself asks for.',
    { minimum: 0 },
  ),
  forceAfterSeconds: integer(
    'After this long pods that cannot be evicted are deleted, whatever their disruption budgets say. Never by default.',
    { minimum: 0 },
  ),
  skipPodSelector: labelSelector(
    'Pods with these labels stay on the node. Without it, or when it is empty, none do.',
  ),
  keepCordoned: boolean(
    'Whether a node that somebody had cordoned before its drain began stays cordoned when the drain is over. By default it is uncordoned.',
  ),
})

export interface DrainPolicySpec extends TypeOf<typeof spec> {}

export interface DrainPolicy extends KubeObject {
  spec: DrainPolicySpec
}

export const drainPolicyKind = kind(
  drainPolicies,
  'How the nodes of one pool are drained, where the default does not do. It has the name of the pool.',
  {
    columns: [
      countColumn('Timeout', '.spec.timeoutSeconds'),
      countColumn('ForceAfter', '.spec.forceAfterSeconds'),
      ageColumn,
    ],
    spec,
  },
)
