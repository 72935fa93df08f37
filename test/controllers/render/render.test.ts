import { describe } from 'vitest'
import { startServer } from '../../apiserver/http/running-server.ts'
import { renderCases } from './cases.ts'

describe('the render controller on the embedded API server', () => {
  renderCases(async () => {
    const server = await startServer()
    return { client: server.client, stop: async () => server[Symbol.asyncDispose]() }
  })
})
