import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../src/api/node-paths.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { readDiskState } from '../../../src/daemon/state/disk-state.ts'
import { findDifferences } from '../../../src/daemon/verify/differences.ts'
import { registryPath } from '../../../src/fleet/trust/registries.ts'
import type { Join } from './arbitrary-join.ts'
import { arbitraryJoin, installed } from './arbitrary-join.ts'
import { provision, rebootsOf, served } from './new-machine.ts'

/** The trust lane manages them. */
const except = new Set([nodePaths.kubeletCA, registryPath('registry.example:5000')])

/** Whether the OS of the machine already fits, from the config alone. */
function needsNothing({ rendered, image }: Join): boolean {
  const { spec = {} } = rendered
  const { osImageURL = '', kernelArguments, kernelType, extensions } = spec
  const desired = image ?? osImageURL
  return (
    ['', 'os.example/os:1', 'docker://os.example/os:1'].includes(desired) &&
    kernelArguments?.length === 0 &&
    kernelType === 'default' &&
    extensions?.length === 0
  )
}

describe('a machine after its first boot', () => {
  it('is what the daemon expects of a node in its config, after one reboot at most', async () => {
    const seen = { joined: 0, withoutReboot: 0 }
    await fc.assert(
      fc.asyncProperty(arbitraryJoin, async (join) => {
        const body = served(join)
        if (body === undefined) return
        const { rendered, image } = join
        const host = new MemoryHost(installed)
        const end = await provision(host, body)
        expect(end === 'done' || end === 'nothing to do').toBe(true)
        const desired = image === undefined ? rendered : withImage(rendered, image)
        const keys = { user: 'core', path: 'authorized_keys.d/ignition' }
        expect(await findDifferences(host, desired, { os: true, except, keys })).toEqual([])
        const { booted } = await host.os.state()
        const { kernelType, extensions = [] } = rendered.spec!
        expect(booted.kernelType).toBe(kernelType)
        expect(booted.extensions.toSorted()).toEqual([...new Set(extensions)].sort())
        const reboots = rebootsOf(host)
        const most = needsNothing(join) && !movesArguments(join) ? 0 : 1
        expect(reboots).toBeLessThanOrEqual(most)
        if (most === 0) seen.withoutReboot++
        // What the daemon reads when the machine joins.
        const disk = await readDiskState(host.files)
        expect(disk).toMatchObject({ problems: [], forced: false, served: { spec: desired.spec } })
        expect(await host.files.stat(nodePaths.encapsulated)).toBeUndefined()
        seen.joined++
      }),
      { numRuns: 300 },
    )
    // The property says nothing if no config can be expressed.
    expect(seen.joined).toBeGreaterThan(100)
    expect(seen.withoutReboot).toBeGreaterThan(2)
  })
})

const withImage = ({ spec, ...rest }: Join['rendered'], osImageURL: string): Join['rendered'] => ({
  ...rest,
  spec: { ...spec, osImageURL },
})

/** Whether the Ignition of the machine cannot set the kernel arguments itself. */
function movesArguments({ rendered, version }: Join): boolean {
  const { kernelArguments } = rendered.spec!.config as { kernelArguments?: object }
  return kernelArguments !== undefined && ['2.2', '3.0', '3.1', '3.2'].includes(version)
}
