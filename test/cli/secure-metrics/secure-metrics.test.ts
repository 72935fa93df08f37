import { startServer } from '../../apiserver/http/running-server.ts'
import { secureMetricsCases } from './cases.ts'

secureMetricsCases(async () => {
  const server = await startServer()
  return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
})
