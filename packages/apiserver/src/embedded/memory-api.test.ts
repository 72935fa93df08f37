import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { isUnauthorized } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { startMemoryApi } from './memory-api.ts'

function clientFor(server: string, token: string): { client: KubeClient; close: () => void } {
  const connection = fixedConnection({
    server,
    tls: {},
    headers: { authorization: `Bearer ${token}` },
  })
  const transport = new HttpTransport({ connection, clock: systemClock })
  return {
    client: new KubeClient({ transport, clock: systemClock }),
    close: () => transport.close(),
  }
}

it('an API in memory serves its administrator only, each on its own', async () => {
  const [one, two] = [
    await startMemoryApi({ log: silentLogger }),
    await startMemoryApi({ log: silentLogger }),
  ]
  const own = clientFor(one.url, one.token)
  const foreign = clientFor(one.url, two.token)
  try {
    expect(new URL(one.url).hostname).toBe('127.0.0.1')
    const object = { metadata: { namespace: 'default', name: 'a' }, data: { key: 'value' } }
    await own.client.create(configMaps, object)
    const key = { namespace: 'default', name: 'a' }
    expect((await own.client.get(configMaps, key)).data).toEqual({ key: 'value' })
    const refused = await foreign.client.get(configMaps, key).catch((error: unknown) => error)
    expect(isUnauthorized(refused)).toBe(true)
  } finally {
    own.close()
    foreign.close()
    await Promise.all([one.stop(), two.stop()])
  }
})
