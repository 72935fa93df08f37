import { systemClock } from '@machinist/core/clock'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { Link } from '../link.ts'
import { Process } from '../process.ts'
import { SimulatedNetwork } from '../network.ts'
import { apiContract } from './contract.ts'
import { MemoryApi } from './memory-api.ts'

apiContract('the simulated API', async () => {
  const clock = systemClock
  const process = new Process('test', clock)
  const network = new SimulatedNetwork(seededRandom(1))
  const link = new Link({
    api: new MemoryApi(clock),
    clock,
    network,
    process,
    actor: 'test',
    place: 'here',
  })
  const client = new KubeClient({ transport: link, clock })
  return { client, namespace: 'default', stop: async () => process.kill() }
})

apiContract('the embedded API', async () => {
  const server = await startServer()
  await installDefinitions(server.client)
  return {
    client: server.client,
    namespace: 'default',
    stop: async () => server[Symbol.asyncDispose](),
  }
})
