import type { KubeObject, Resource } from '../../base/resource.ts'
import type { Scope } from '../../kube/client.ts'
import type { InformerOptions } from '../../kube/informer/informer.ts'
import { Informer } from '../../kube/informer/informer.ts'
import type { CertificateSigningRequest } from '../../kube/kinds/certificates.ts'
import { certificateSigningRequests } from '../../kube/kinds/certificates.ts'
import type { Node, Service } from '../../kube/kinds/core.ts'
import { services } from '../../kube/kinds/core.ts'
import type { FollowOptions } from '../node-cache.ts'
import { signers } from './claim.ts'

export interface RequestCacheOptions extends FollowOptions {
  /** With `nodeName` as an index; whoever made it starts it. */
  readonly nodes: Informer<Node>
}

/** What it follows. */
export interface RequestCaches {
  /** One for each signer: a server can select one of them only. */
  readonly requests: readonly Informer<CertificateSigningRequest>[]
  readonly nodes: Informer<Node>
  /** The Service through which the cluster reaches its API. */
  readonly apiService: Informer<Service>
}

export const apiServiceKey = { namespace: 'default', name: 'kubernetes' }

export function requestCaches({ client, nodes, ...tools }: RequestCacheOptions): RequestCaches {
  const follow = <T extends KubeObject>(
    place: Resource<T>,
    scope: Scope,
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

/** What was signed is of no use here. */
function withoutCertificate(request: CertificateSigningRequest): CertificateSigningRequest {
  const { certificate: _, ...status } = request.status ?? {}
  return { ...request, status }
}
