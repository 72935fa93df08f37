import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { kubeletDefaultsCases } from './cases.ts'

describe('kubelet defaults on the embedded API server', () => {
  kubeletDefaultsCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
