import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { clusterOperatorCases } from './cases.ts'

describe('the ClusterOperator on the embedded API server', () => {
  clusterOperatorCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
