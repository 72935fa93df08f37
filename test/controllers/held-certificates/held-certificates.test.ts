import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { heldCertificatesCases } from './cases.ts'

describe('certificates that a pause holds, on the embedded API server', () => {
  heldCertificatesCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
