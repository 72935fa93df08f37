import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { LastWritten } from './last-written.ts'

const version = (resourceVersion: string): KubeObject => ({
  metadata: { name: 'x', resourceVersion },
})
const nothing = (): Promise<undefined> => Promise.resolve(undefined)

describe('the last written object', () => {
  it('is used until the cache contains it or a newer version', async () => {
    const last = new LastWritten()
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('9'))
    last.keep(version('10'))
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('10'))
    expect(await last.orNewer(version('11'), nothing)).toEqual(version('11'))
    // From then on, the cache is used.
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('9'))
    expect(await last.orNewer(undefined, nothing)).toBeUndefined()
  })

  it('is read from the server if the cache has none: it may be new, or deleted', async () => {
    const last = new LastWritten()
    last.keep(version('10'))
    expect(await last.orNewer(undefined, () => Promise.resolve(version('12')))).toEqual(
      version('12'),
    )
    expect(await last.orNewer(undefined, nothing)).toBeUndefined()
    last.keep(version('13'))
    last.forget()
    expect(await last.orNewer(undefined, () => Promise.resolve(version('13')))).toBeUndefined()
  })

  it('is not used if versions cannot be compared', async () => {
    const last = new LastWritten()
    last.keep(version('b'))
    expect(await last.orNewer(version('a'), nothing)).toEqual(version('a'))
  })
})
