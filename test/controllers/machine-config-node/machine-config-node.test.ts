import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { machineConfigNodeCases } from './cases.ts'

describe('the MachineConfigNode controller on the embedded API server', () => {
  machineConfigNodeCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
