import { ownControllerConfigAnnotations } from './annotations.ts'
import type { ControllerConfig } from './resources.ts'

/** Whose kubelets nodes run: only OpenShift's accept role labels in --node-labels. */
export type Distribution = 'openshift' | 'kubernetes'

/** MCO's ControllerConfigs carry no annotation of ours, and always an Infrastructure. */
export function distributionOf({
  metadata,
  spec,
}: Pick<ControllerConfig, 'metadata' | 'spec'>): Distribution {
  const recorded = metadata.annotations?.[ownControllerConfigAnnotations.distribution]
  const isOpenShift = recorded === undefined ? Boolean(spec.infra) : recorded === 'openshift'
  return isOpenShift ? 'openshift' : 'kubernetes'
}
