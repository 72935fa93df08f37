import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { poolsCases } from './cases.ts'

describe("the operator's pools on the embedded API server", () => {
  poolsCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
