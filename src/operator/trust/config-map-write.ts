import type { ObjectReference } from '../../base/resource.ts'
import type { ConfigMap } from '../../kube/kinds/core.ts'

/** A change to a ConfigMap that the operator keeps: made, or changed by a merge patch. */
export type ConfigMapWrite =
  { readonly create: ConfigMap } | { readonly about: ObjectReference; readonly patch: object }
