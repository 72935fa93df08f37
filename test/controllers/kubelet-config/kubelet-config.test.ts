import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { kubeletConfigCases } from './cases.ts'

describe('KubeletConfigs on the embedded API server', () => {
  kubeletConfigCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
