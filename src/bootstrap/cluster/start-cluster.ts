import { startMemoryApi } from '@machinist/apiserver/embedded/memory-api'
import { sleep, systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import type { Resource } from '@machinist/core/objects/resource'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { namespaces as namespaceResource } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { namespaces } from '../../api/names.ts'
import { installServedKinds, servedResources } from './served-kinds.ts'

/** A Kubernetes API in this process, for the duration of the bootstrap. */
export interface BootstrapCluster {
  readonly client: KubeClient
  /** All served kinds. */
  readonly kinds: readonly Resource[]
  stop(): Promise<void>
}

export async function startBootstrapCluster(isOpenShift: boolean): Promise<BootstrapCluster> {
  const clock = systemClock
  const api = await startMemoryApi({ log: silentLogger })
  const headers = { authorization: `Bearer ${api.token}` }
  const connection = fixedConnection({ server: api.url, tls: {}, headers })
  const transport = new HttpTransport({ connection, clock })
  const client = new KubeClient({ transport, clock })
  const stop = async (): Promise<void> => {
    transport.close()
    await api.stop()
  }
  try {
    await installServedKinds(client, isOpenShift)
    const kinds = servedResources(isOpenShift)
    for (const kind of kinds) await waitUntilServed(client, kind)
    for (const name of ownNamespaces) await createNamespace(client, name)
    return { client, kinds, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Without the one of the Machine API: no machine needs user data. */
const ownNamespaces = Object.values(namespaces).filter((name) => name !== namespaces.machineAPI)

export async function createNamespace(client: KubeClient, name: string): Promise<void> {
  try {
    await client.create(namespaceResource, { metadata: { name } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** The API server serves a kind a moment after its definition is stored. */
async function waitUntilServed(client: KubeClient, kind: Resource): Promise<void> {
  for (;;) {
    try {
      await client.listMetadata(kind, { limit: 1 })
      return
    } catch (error) {
      if (!isNotFound(error)) throw error
      await sleep(client.clock, 10)
    }
  }
}
