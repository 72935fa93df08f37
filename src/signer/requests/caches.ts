import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Node, Service } from '@machinist/kube/kinds/core'
import { services } from '@machinist/kube/kinds/core'
import type { CacheOptions } from '../nodes/node-cache.ts'
import { signers } from './claim.ts'

export interface RequestCacheOptions extends CacheOptions {
  /** With the index `nodeNameIndex`; its creator starts it. */
  readonly nodes: Informer<Node>
}

/** The informers of the requests controller. */
export interface RequestCaches {
  /** One for each signer, because a field selector matches one value. */
  readonly requests: readonly Informer<CertificateSigningRequest>[]
  readonly nodes: Informer<Node>
  /** The Service of the API server. */
  readonly apiService: Informer<Service>
}

export const apiServiceKey = { namespace: 'default', name: 'kubernetes' }

export function requestCaches({ client, nodes, ...tools }: RequestCacheOptions): RequestCaches {
  const follow = <T extends KubeObject>(
    place: Resource<T>,
    scope: ListWatchScope,
    rest: Pick<InformerOptions<T>, 'resource' | 'transform'>,
  ): Informer<T> => new Informer<T>({ ...tools, ...rest, source: client.listWatch(place, scope) })
  const requestsOf = (kind: keyof typeof signers): Informer<CertificateSigningRequest> =>
    follow(
      certificateSigningRequests,
      { fields: `spec.signerName=${signers[kind]}` },
      { resource: `certificate requests (${kind})`, transform: withoutCertificate },
    )
  const { namespace, name } = apiServiceKey
  return {
    requests: [requestsOf('client'), requestsOf('serving')],
    nodes,
    apiService: follow(
      services,
      { namespace, fields: `metadata.name=${name}` },
      { resource: `service ${name}` },
    ),
  }
}

/** The controller does not need the issued certificate. */
function withoutCertificate(request: CertificateSigningRequest): CertificateSigningRequest {
  const { certificate: _, ...status } = request.status ?? {}
  return { ...request, status }
}
