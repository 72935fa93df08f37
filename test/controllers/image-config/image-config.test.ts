import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { imageConfigCases } from './cases.ts'

describe('what a cluster says about images, on the embedded API server', () => {
  imageConfigCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
