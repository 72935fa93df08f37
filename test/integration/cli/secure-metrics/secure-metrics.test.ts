import { startServer } from '@machinist/apiserver/running-server.fixture'
import { secureMetricsCases } from './cases.ts'

secureMetricsCases(async () => {
  const server = await startServer()
  return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
})
