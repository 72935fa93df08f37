import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { rolloutCases } from './cases.ts'

describe('the rollout controller on the embedded API server', () => {
  rolloutCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
