import type { ObjectReference } from '@machinist/core/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'

/** A change to a ConfigMap that the operator keeps: made, or changed by a merge patch. */
export type ConfigMapWrite =
  { readonly create: ConfigMap } | { readonly about: ObjectReference; readonly patch: object }
