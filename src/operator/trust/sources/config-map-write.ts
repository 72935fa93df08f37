import type { ObjectReference } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'

/** A write of a ConfigMap that the operator manages: a creation or a merge patch. */
export type ConfigMapWrite =
  { readonly create: ConfigMap } | { readonly about: ObjectReference; readonly patch: object }
