import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { machineConfigurationCases } from './cases.ts'

describe('the MachineConfiguration on the embedded API server', () => {
  machineConfigurationCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
