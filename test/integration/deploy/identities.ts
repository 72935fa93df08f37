import { systemClock } from '@machinist/core/clock'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { TlsMaterial } from '@machinist/kube/connection/connection'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { ignoreNotFound } from '@machinist/kube/failure'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { pods, serviceAccounts } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import type { KeyPair } from '@machinist/pki/issue'

export const namespace = 'openshift-machine-config-operator'

/** ServiceAccounts by the names that tests use for components. */
const accounts: Readonly<Record<string, string>> = {
  operator: 'machine-config-operator',
  controllers: 'machine-config-controller',
  signer: 'machinist-signer',
  daemon: 'machine-config-daemon',
  server: 'machine-config-server',
  bootstrapper: 'node-bootstrapper',
}

export const userOf = (part: string): string =>
  `system:serviceaccount:${namespace}:${accounts[part]}`

/** An API server with administrator access, which can issue credentials for other users. */
export interface Place {
  readonly server: string
  /** PEM. */
  readonly ca: string
  readonly client: KubeClient
  /** A client certificate that the server takes for this user. */
  readonly certificate: (user: string, ...groups: string[]) => Promise<KeyPair>
}

/**
 * A transport for a component (`operator`, `signer`, `daemon worker-0`, `kubelet worker-0`) or a user (`person jane`), with no
 * credential but its own.
 */
export function transportAs(place: Place, who: string): Transport {
  return new LazyTransport(async () => {
    const [part = '', name] = who.split(' ')
    const withCertificate = async (pair: Promise<KeyPair>): Promise<Transport> => {
      const { certificate: cert, key } = await pair
      return open(place, { cert, key })
    }
    if (part === 'person') return withCertificate(place.certificate(name!))
    if (part === 'kubelet') return withCertificate(kubeletsCertificate(place, name!))
    const token = await tokenOf(place.client, part, name)
    return open(place, {}, { authorization: `Bearer ${token}` })
  })
}

export const kubeletsCertificate = (place: Place, node: string): Promise<KeyPair> =>
  place.certificate(`system:node:${node}`, 'system:nodes')

export function open(
  { server, ca }: Pick<Place, 'server' | 'ca'>,
  tls: TlsMaterial,
  headers: Readonly<Record<string, string>> = {},
): Transport {
  const connection = fixedConnection({ server, tls: { ca, ...tls }, headers })
  return new HttpTransport({ connection, clock: systemClock })
}

/** A token as the kubelet gives it to a pod; a daemon's token is bound to the pod on its node. */
export async function tokenOf(client: KubeClient, part: string, node?: string): Promise<string> {
  const name = accounts[part]!
  const boundObjectRef = node === undefined ? undefined : await daemonsPod(client, node)
  const { status } = await client.act<{ status: { token: string } }>(
    serviceAccounts,
    { namespace, name },
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3600, ...(boundObjectRef && { boundObjectRef }) },
    },
    { subresource: 'token' },
  )
  return status.token
}

/** The DaemonSet's pod on a node; no kubelet starts it. */
async function daemonsPod(client: KubeClient, node: string): Promise<object> {
  const name = `machine-config-daemon-${node}`
  const owner = await daemonSet(client)
  const { metadata } =
    (await ignoreNotFound(client.get(pods, { namespace, name }))) ??
    (await client.create(pods, {
      metadata: { namespace, name, ownerReferences: [owner] },
      spec: {
        nodeName: node,
        serviceAccountName: accounts['daemon']!,
        containers: [{ name: 'daemon', image: 'machinist.example/machinist' }],
      },
    }))
  return { apiVersion: 'v1', kind: 'Pod', name, uid: metadata.uid }
}

/** The owner of the pods, so that drains ignore them. Created where deploy/ has none. */
async function daemonSet(client: KubeClient): Promise<OwnerReference> {
  const name = 'machine-config-daemon'
  const labels = { test: 'daemon' }
  const containers = [{ name: 'daemon', image: 'machinist.example/machinist' }]
  const { metadata } =
    (await ignoreNotFound(client.get(daemonSets, { namespace, name }))) ??
    (await client.create(daemonSets, {
      metadata: { namespace, name },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    }))
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: metadata.uid!, controller: true }
}

/** Opens the transport on first use: a token for a daemon requires its Node. */
class LazyTransport implements Transport {
  readonly #open: () => Promise<Transport>
  #opened: Promise<Transport> | undefined

  constructor(open: () => Promise<Transport>) {
    this.#open = open
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    return (await this.#get()).request(request)
  }

  async *stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    yield* (await this.#get()).stream(request)
  }

  close(): void {
    void this.#opened?.then((transport) => transport.close())
  }

  #get(): Promise<Transport> {
    this.#opened ??= this.#open()
    return this.#opened
  }
}
