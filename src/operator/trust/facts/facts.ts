import type { KubeObject, ObjectKey } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { ConfigMap, Secret, ServiceAccount } from '@machinist/kube/kinds/core'
import { ownSourceAnnotations } from '../../../api/annotations.ts'
import type { DNS, Image, Infrastructure, Proxy } from '../../../api/openshift-config.ts'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import type { ClusterReading } from '../../inputs/cluster-reading.ts'
import type { InputProblem } from '../../inputs/problem.ts'
import type { TrustFields } from './fields.ts'

/** The observed state of one object. `unknown` is not `absent`: nothing must be removed because of it. */
export type ObservedObject<T extends KubeObject> =
  | { readonly state: 'present'; readonly object: Readonly<T> }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly problem: InputProblem }

/** Everything that determines the trust fields. Maps have objects by `namespace/name`; a missing entry means absent. */
export interface TrustFacts {
  readonly now: number
  /** Whether the controller has not written anything since its start. */
  readonly isFirstPass: boolean
  /** Temporary errors of reads; their objects are unknown, and the reconcile is retried. */
  readonly readFailures: readonly unknown[]
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly lastGood: TrustFields
  readonly configMaps: ReadonlyMap<string, ObservedObject<ConfigMap>>
  readonly secrets: ReadonlyMap<string, ObservedObject<Secret>>
  /** The ServiceAccount whose credentials pull from the internal registry. */
  readonly puller: ObservedObject<ServiceAccount>
  /** The ClusterOperator of the internal registry, which exists if the registry does. */
  readonly registryOperator: ObservedObject<KubeObject>
  readonly image: ClusterReading<Image>
  readonly proxy: ClusterReading<Proxy>
  readonly infrastructure: ClusterReading<Infrastructure>
  readonly dns: ClusterReading<DNS>
}

/** The result of an input. If it is invalid, the last valid value stays. */
export type InputResult<T> =
  | { readonly state: 'valid'; readonly value: T }
  | {
      readonly state: 'invalid'
      readonly problem: InputProblem
      /** If parts of it are valid: these, with the last valid value of the others. */
      readonly value?: T
    }
  /** The cluster does not have it, or a user removed it on purpose. */
  | { readonly state: 'absent' }

export function configMapIn({ configMaps }: TrustFacts, key: ObjectKey): ObservedObject<ConfigMap> {
  return configMaps.get(keyText(key)) ?? { state: 'absent' }
}

export function secretIn({ secrets }: TrustFacts, key: ObjectKey): ObservedObject<Secret> {
  return secrets.get(keyText(key)) ?? { state: 'absent' }
}

/** Whether a user requested with an annotation to remove its content from nodes. */
export function isToBeRemoved({ metadata }: Readonly<KubeObject>): boolean {
  return metadata.annotations?.[ownSourceAnnotations.remove] === 'true'
}
