import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../base/errors.ts'
import type { Page, Served } from './pages.ts'
import { servePages } from './pages.ts'

const served: Served[] = []
afterEach(async () => {
  for (const each of served.splice(0)) await each.stop()
})

const local = { host: '127.0.0.1', port: 0 }

async function serve(pages: Record<string, Page>): Promise<string> {
  const each = await servePages(pages, local, 'health')
  served.push(each)
  return each.url
}

describe('servePages', () => {
  it('answers with a text, or with why it is unwell', async () => {
    let why: string | undefined = 'not yet'
    const ready: Page = () => (why === undefined ? 'ok\n' : { unwell: why })
    const url = await serve({ '/readyz': ready })
    const before = await fetch(`${url}/readyz`)
    expect([before.status, await before.text()]).toEqual([503, 'not yet\n'])
    why = undefined
    const after = await fetch(`${url}/readyz?verbose`)
    expect([after.status, await after.text()]).toEqual([200, 'ok\n'])
    expect(after.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('knows no other page, and no other way to ask', async () => {
    const url = await serve({ '/healthz': () => 'ok\n' })
    expect((await fetch(`${url}/constructor`)).status).toBe(404)
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404)
  })

  it('says which address is taken', async () => {
    const port = Number(new URL(await serve({})).port)
    const again = servePages({}, { ...local, port }, 'metrics')
    await expect(again).rejects.toThrow(InvalidInput)
    await expect(again).rejects.toThrow(`cannot serve metrics at 127.0.0.1:${port}: `)
  })
})
