import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/resource'
import { LastWritten } from './last-written.ts'

const version = (resourceVersion: string): KubeObject => ({
  metadata: { name: 'x', resourceVersion },
})
const nothing = (): Promise<undefined> => Promise.resolve(undefined)

describe('what we wrote last', () => {
  it('counts until the cache shows it, or something newer', async () => {
    const last = new LastWritten()
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('9'))
    last.keep(version('10'))
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('10'))
    expect(await last.orNewer(version('11'), nothing)).toEqual(version('11'))
    // From then on the cache is right, whatever it says.
    expect(await last.orNewer(version('9'), nothing)).toEqual(version('9'))
    expect(await last.orNewer(undefined, nothing)).toBeUndefined()
  })

  it('is looked for where the cache has nothing: it may be new, or gone', async () => {
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

  it('gives way where versions cannot be compared', async () => {
    const last = new LastWritten()
    last.keep(version('b'))
    expect(await last.orNewer(version('a'), nothing)).toEqual(version('a'))
  })
})
