import { systemClock } from '../../../src/base/clock.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { KubeClient } from '../../../src/kube/client.ts'
import { startServer } from '../../apiserver/http/running-server.ts'
import { installDefinitions } from '../../support/definitions.ts'
import { Link } from '../link.ts'
import { Process } from '../process.ts'
import { Weather } from '../weather.ts'
import { apiContract } from './contract.ts'
import { MemoryApi } from './memory-api.ts'

apiContract('the simulated API', async () => {
  const clock = systemClock
  const process = new Process('test', clock)
  const weather = new Weather(seededRandom(1))
  const link = new Link({
    api: new MemoryApi(clock),
    clock,
    weather,
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
