import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { DefinitionWorker } from '../../src/workers/definitions.ts'
import { VerbServer } from './verb-server.ts'

let server: VerbServer
let worker: DefinitionWorker

beforeEach(async () => {
  server = await VerbServer.start()
  worker = new DefinitionWorker(server.context, silentLogger)
})

afterEach(() => worker.stop())

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
})

const define = (plural: string, kind: string, shortNames: string[] = []): Promise<unknown> =>
  server.create('CustomResourceDefinition', {
    metadata: { name: `${plural}.x.io` },
    spec: {
      group: 'x.io',
      scope: 'Namespaced',
      names: { plural, kind, singular: plural.slice(0, -1), listKind: `${kind}List`, shortNames },
      versions: [version('v1', true)],
    },
  })

const kindOf = (plural: string): string | undefined =>
  server.context.kinds.find('x.io', 'v1', plural)?.kind

const settled = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await server.clock.advance(0)
}

const status = async (plural: string): Promise<Record<string, unknown>> => {
  await settled()
  return server.status('CustomResourceDefinition', `${plural}.x.io`)
}

describe('a CRD', () => {
  it('is served as soon as it is written', async () => {
    await define('foos', 'Foo')
    expect(kindOf('foos')).toBe('Foo')
    expect(await status('foos')).toMatchObject({
      acceptedNames: { plural: 'foos', kind: 'Foo' },
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
    })
  })

  it('with a name conflict is not served, even if created at the same time', async () => {
    await Promise.all([define('foos', 'Foo'), define('bars', 'Foo')])
    expect([kindOf('foos'), kindOf('bars')]).toEqual(['Foo', undefined])
    await settled()
    await server.remove('CustomResourceDefinition', 'foos.x.io')
    await settled()
    expect([kindOf('foos'), kindOf('bars')]).toEqual([undefined, 'Foo'])
  })

  it('keeps its names after a restart, in any key order', async () => {
    await define('foos', 'Foo', ['f'])
    await define('bars', 'Bar', ['f'])
    await settled()
    await worker.stop()
    server.context.kinds.replace('x.io', 'foos', [])
    worker = new DefinitionWorker(server.context, silentLogger)
    expect([kindOf('foos'), kindOf('bars')]).toEqual(['Foo', undefined])
    expect(await status('bars')).toMatchObject({
      conditions: [{ type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict' }, {}],
    })
  })

  it('is served under its accepted names while new ones are taken', async () => {
    await define('foos', 'Foo', ['f'])
    await define('bars', 'Bar', ['b'])
    const { spec } = server.read('CustomResourceDefinition', 'bars.x.io') as unknown as {
      spec: { names: object }
    }
    const names = { ...spec.names, shortNames: ['f'] }
    await settled()
    await server.update('CustomResourceDefinition', 'bars.x.io', { spec: { ...spec, names } })
    expect(server.context.kinds.find('x.io', 'v1', 'bars')?.shortNames).toEqual(['b'])
    expect(await status('bars')).toMatchObject({
      acceptedNames: { shortNames: ['b'] },
      conditions: [
        { type: 'NamesAccepted', status: 'False', message: '"f" is already in use' },
        { type: 'Established', status: 'True' },
      ],
    })
  })

  it('that was never established is removed immediately', async () => {
    await define('foos', 'Foo')
    await define('bars', 'Foo')
    await settled()
    await server.remove('CustomResourceDefinition', 'bars.x.io')
    await settled()
    expect(() => server.read('CustomResourceDefinition', 'bars.x.io')).toThrow('not found')
    expect(kindOf('foos')).toBe('Foo')
  })

  it('records storedVersions', async () => {
    await define('foos', 'Foo')
    await settled()
    const name = 'foos.x.io'
    const { spec } = server.read('CustomResourceDefinition', name) as unknown as { spec: object }
    const change = (...versions: object[]): Promise<unknown> =>
      server.update('CustomResourceDefinition', name, { spec: { ...spec, versions } })
    await change(version('v1', false), version('v2', true))
    expect(await status('foos')).toMatchObject({ storedVersions: ['v1', 'v2'] })
    await expect(change(version('v2', true))).rejects.toThrow(
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
    )
    const reported = { ...(await status('foos')), storedVersions: ['v2'] }
    await server.update('CustomResourceDefinition', name, { status: reported }, 'status')
    await change(version('v2', true))
    expect(await status('foos')).toMatchObject({ storedVersions: ['v2'] })
  })
})
