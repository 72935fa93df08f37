import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { runtimeConfigCases } from './cases.ts'

describe('ContainerRuntimeConfigs on the embedded API server', () => {
  runtimeConfigCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
