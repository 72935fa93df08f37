import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { pinnedImagesCases } from './cases.ts'

describe('pinned images of pools on the embedded API server', () => {
  pinnedImagesCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
