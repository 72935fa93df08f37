import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { trustCases } from './cases.ts'

describe('the trust loop on the embedded API server', () => {
  trustCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
