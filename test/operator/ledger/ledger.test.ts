import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { ledgerCases } from './cases.ts'

describe('the ledger on the embedded API server', () => {
  ledgerCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
