import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Node } from '@machinist/kube/kinds/core'
import { services } from '@machinist/kube/kinds/core'
import type { CacheContext } from '../nodes/node-cache.ts'
import { signers } from './claim.ts'
import type { RequestCaches } from './inputs.ts'

export const apiServiceKey = { namespace: 'default', name: 'kubernetes' }

/** The informers of the requests controller, with the shared informer of Nodes. */
export function requestCaches(
  { client, ...tools }: CacheContext,
  nodes: Informer<Node>,
): RequestCaches {
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
