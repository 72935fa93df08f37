import type { KubeObject, Resource } from '@machinist/core/resource'
import type { Scope } from '@machinist/kube/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Node, Service } from '@machinist/kube/kinds/core'
import { services } from '@machinist/kube/kinds/core'
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
