import type { ObjectMeta } from '@machinist/core/objects/resource'
import { ownControllerConfigAnnotations } from './annotations.ts'

/** The distribution of the kubelets. Only OpenShift's kubelets accept role labels in --node-labels. */
export type Distribution = 'openshift' | 'kubernetes'

/** ControllerConfigs of MCO have no annotation of Machinist, and always an Infrastructure. */
export function distributionOf({
  metadata,
  spec,
}: {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
  readonly spec: { readonly infra?: unknown }
}): Distribution {
  const recorded = metadata.annotations?.[ownControllerConfigAnnotations.distribution]
  const isOpenShift = recorded === undefined ? Boolean(spec.infra) : recorded === 'openshift'
  return isOpenShift ? 'openshift' : 'kubernetes'
}
