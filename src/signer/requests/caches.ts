import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject, Resource } from '../../base/resource.ts'
import type { KubeClient, Scope } from '../../kube/client.ts'
import type { InformerOptions } from '../../kube/informer/informer.ts'
import { Informer } from '../../kube/informer/informer.ts'
import type { CertificateSigningRequest } from '../../kube/kinds/certificates.ts'
import { certificateSigningRequests } from '../../kube/kinds/certificates.ts'
import type { Node, Service } from '../../kube/kinds/core.ts'
import { nodes, services } from '../../kube/kinds/core.ts'
import { signers } from './claim.ts'
import { slimNode } from './node-facts.ts'
import { namesOf } from './node-names.ts'

export interface FollowOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** What it follows. */
export interface RequestCaches {
  /** One for each signer: a server can select one of them only. */
  readonly requests: readonly Informer<CertificateSigningRequest>[]
  /** With `nodeName` as an index. */
  readonly nodes: Informer<Node>
  /** The Service through which the cluster reaches its API. */
  readonly apiService: Informer<Service>
}

/** Nodes by the names and addresses that they say they have. */
export const nodeName = 'name'

export const apiServiceKey = { namespace: 'default', name: 'kubernetes' }

export function requestCaches({ client, ...tools }: FollowOptions): RequestCaches {
  const follow = <T extends KubeObject>(
    place: Resource<T>,
    scope: Scope,
    rest: Pick<InformerOptions<T>, 'resource' | 'transform' | 'indexes'>,
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
    nodes: follow(
      nodes,
      {},
      {
        resource: 'nodes that ask for certificates',
        transform: slimNode,
        indexes: { [nodeName]: namesOf },
      },
    ),
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
