import type { Input } from '@machinist/kube/controller/controller'
import type { DrainCaches } from '../drain/inputs.ts'
import { requestInputs } from '../drain/inputs.ts'

export type UncordonCaches = DrainCaches

/** Maps changes to nodes whose daemons request an uncordon. */
export const uncordonInputs = (caches: UncordonCaches): Input[] =>
  requestInputs(caches, ['uncordon'])
