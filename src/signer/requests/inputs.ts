import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { Node, Service } from '@machinist/kube/kinds/core'
import type { RequestRegister } from './register.ts'

/** The informers of the requests controller. */
export interface RequestCaches {
  /** One for each signer, because a field selector matches one value. */
  readonly requests: readonly Informer<CertificateSigningRequest>[]
  /** With the index `nodeNameIndex`. */
  readonly nodes: Informer<Node>
  /** The Service of the API server. */
  readonly apiService: Informer<Service>
}

/** Maps changes to requests. Updates the register first, so that it never lags behind the queue. */
export function requestInputs(caches: RequestCaches, register: RequestRegister): Input[] {
  const changed = ({ type, object }: Change<CertificateSigningRequest>): string[] => {
    const { name } = object.metadata
    if (type === 'deleted') register.remove(name)
    else register.put(object)
    return [name]
  }
  return [
    ...caches.requests.map((informer) =>
      input({ resource: 'CertificateSigningRequest', informer, keys: changed }),
    ),
    input({
      resource: 'Node',
      informer: caches.nodes,
      keys: ({ object }) => register.waitingFor(object.metadata.name),
    }),
    input({ resource: 'Service', informer: caches.apiService, keys: () => [] }),
  ]
}
