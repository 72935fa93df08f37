import { ownSourceAnnotations } from '../../api/annotations.ts'
import type { DNS, Image, Infrastructure, Proxy } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { KubeObject, ObjectKey } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import type { ConfigMap, Secret, ServiceAccount } from '@machinist/kube/kinds/core'
import type { Reading } from '../inputs/cluster-reading.ts'
import type { InputProblem } from '../inputs/problem.ts'
import type { TrustFields } from './fields.ts'

/** What is known of one object. `unknown` is not `absent`: nothing may be taken away because of it. */
export type Seen<T extends KubeObject> =
  | { readonly state: 'here'; readonly object: Readonly<T> }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly problem: InputProblem }

/** All that is known when trust is to be handed on. Objects are by `namespace/name`; what is not in a map is not there. */
export interface TrustFacts {
  readonly now: number
  /** So long the API server's CAs must not have changed before nodes are given them; a minute unless said. */
  readonly settleMs?: number
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  readonly lastGood: TrustFields
  readonly configMaps: ReadonlyMap<string, Seen<ConfigMap>>
  readonly secrets: ReadonlyMap<string, Seen<Secret>>
  /** Whose credentials pull from the cluster's own registry. */
  readonly puller: Seen<ServiceAccount>
  /** The operator of that registry, which says whether there is one. */
  readonly registryOperator: Seen<KubeObject>
  readonly image: Reading<Image>
  readonly proxy: Reading<Proxy>
  readonly infrastructure: Reading<Infrastructure>
  readonly dns: Reading<DNS>
}

/** What an input comes to. Where it is bad, the last good value stays. */
export type Verdict<T> =
  | { readonly state: 'good'; readonly value: T }
  | {
      readonly state: 'bad'
      readonly problem: InputProblem
      /** Where parts of it are good: those, with the last good value of the others. */
      readonly value?: T
    }
  /** The cluster does not give it, or has taken it away on purpose. */
  | { readonly state: 'absent' }

export function configMapIn({ configMaps }: TrustFacts, key: ObjectKey): Seen<ConfigMap> {
  return configMaps.get(keyText(key)) ?? { state: 'absent' }
}

export function secretIn({ secrets }: TrustFacts, key: ObjectKey): Seen<Secret> {
  return secrets.get(keyText(key)) ?? { state: 'absent' }
}

/** Somebody has written on it that what it gave shall go. */
export function isToBeRemoved({ metadata }: Readonly<KubeObject>): boolean {
  return metadata.annotations?.[ownSourceAnnotations.remove] === 'true'
}
