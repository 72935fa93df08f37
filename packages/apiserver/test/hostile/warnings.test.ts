import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HostileServer } from './hostile-server.ts'

let server: HostileServer

beforeAll(async () => {
  server = await HostileServer.start()
})

afterAll(() => server.stop())

/** The bytes of the Warning header for an object with these fields. */
async function warningsFor(fields: readonly string[]): Promise<string> {
  const unknown = fields.map((field) => `${JSON.stringify(field)}:1`).join(',')
  const { code, headers } = await server.send({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body: `{"metadata":{"generateName":"warn-"},${unknown}}`,
  })
  expect(code).toBe(201)
  return Buffer.from(String(headers['warning']), 'latin1').toString('utf8')
}

describe('warnings about unknown fields', () => {
  it('can contain any Unicode text', async () => {
    expect(await warningsFor(['ключ'])).toBe('299 - "unknown field \\"ключ\\""')
  })

  it('escape characters that headers cannot contain', async () => {
    expect(await warningsFor(['a\u007fb'])).toBe('299 - "unknown field \\"a b\\""')
  })

  it('are truncated as in kube-apiserver', async () => {
    expect(await warningsFor(['x'.repeat(5000), 'y'.repeat(5000)])).toBe(
      `299 - "unknown field \\"${'x'.repeat(241)}", 299 - "unknown field \\"${'y'.repeat(241)}"`,
    )
  })

  it('are limited in number', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => `field-${i}`)
    expect((await warningsFor(many)).length).toBeLessThan(20_000)
  })
})
