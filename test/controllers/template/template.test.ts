import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { templateCases } from './cases.ts'

describe('the template controller on the embedded API server', () => {
  templateCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
