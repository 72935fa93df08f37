import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { DiskState } from '../../../../src/daemon/state/disk-state.ts'
import { readDiskState } from '../../../../src/daemon/state/disk-state.ts'
import { storeConfig, cleanUpAfterIgnition } from '../../../../src/daemon/state/state-changes.ts'
import { Faults, faultyHost } from '../../../../src/daemon/host/faults.fixture.ts'
import { config } from '../follow/facts.ts'

const directory = { mode: 0o755, uid: 0, gid: 0 }

async function machine(contents: Readonly<Record<string, string>> = {}): Promise<MemoryHost> {
  const host = new MemoryHost()
  await host.files.makeDirectory(nodePaths.state, directory)
  await host.files.makeDirectory('/etc/systemd/system-preset', directory)
  for (const [path, text] of Object.entries(contents)) {
    await host.files.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
  }
  return host
}

const read = async (contents: Readonly<Record<string, string>>): Promise<DiskState> =>
  readDiskState((await machine(contents)).files)

const joining = JSON.stringify({
  'machineconfiguration.openshift.io/currentConfig': 'a',
  'machineconfiguration.openshift.io/desiredConfig': 'a',
  number: 7,
})

describe('the disk state', () => {
  it('is empty on a new machine', async () => {
    expect(await read({})).toEqual({ forced: false, problems: [] })
  })

  it('contains the config, its image, the files of first boot, and the force file', async () => {
    const state = await read({
      [nodePaths.currentConfig]: JSON.stringify(config('a')),
      [nodePaths.currentImage]: 'registry.example/os@sha256:1\n',
      [nodePaths.nodeAnnotations]: joining,
      [nodePaths.served]: JSON.stringify(config('b')),
      [nodePaths.force]: '',
    })
    expect(state).toEqual({
      config: config('a'),
      image: 'registry.example/os@sha256:1',
      bootstrap: {
        'machineconfiguration.openshift.io/currentConfig': 'a',
        'machineconfiguration.openshift.io/desiredConfig': 'a',
      },
      served: config('b'),
      forced: true,
      problems: [],
    })
  })

  it('ignores an empty image', async () => {
    expect((await read({ [nodePaths.currentImage]: '' })).image).toBeUndefined()
  })

  it.each([
    [nodePaths.currentConfig, 'secret{', 'it is not JSON'],
    [nodePaths.currentConfig, '{"metadata":{}}', 'it is not a MachineConfig with a name'],
    [nodePaths.nodeAnnotations, '[]', 'it is not a JSON object of annotations'],
    [
      nodePaths.nodeAnnotations,
      '{}',
      'it does not contain the annotation machineconfiguration.openshift.io/currentConfig',
    ],
  ])('reports %s with %j as a problem', async (path, text, problem) => {
    expect((await read({ [path]: text })).problems).toEqual([`${path} cannot be used: ${problem}`])
  })

  it('never throws and never shows contents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 9 }), async (text) => {
        const { problems } = await read({ [nodePaths.currentConfig]: `{${text}` })
        expect(problems).toHaveLength(1)
        expect(problems[0]).not.toContain(text)
      }),
      { numRuns: 100 },
    )
  })
})

describe('storing a config', () => {
  it('makes it readable by root only, and renames the files of first boot', async () => {
    const host = await machine({ [nodePaths.nodeAnnotations]: joining })
    await storeConfig(host.files, config('a'), 'image')
    expect(await host.files.stat(nodePaths.currentConfig)).toMatchObject({ mode: 0o600 })
    const state = await readDiskState(host.files)
    expect(state).toEqual({ config: config('a'), image: 'image', forced: false, problems: [] })
    expect(await host.files.stat(nodePaths.nodeAnnotationsDone)).toBeDefined()
    await storeConfig(host.files, config('b'), undefined)
    expect(await readDiskState(host.files)).toEqual({
      config: config('b'),
      forced: false,
      problems: [],
    })
  })

  it('never leaves a config without its image, wherever it is interrupted', async () => {
    const seen: DiskState[] = []
    for (let at = 1; at < 10; at++) {
      const host = await machine()
      const { files } = faultyHost(host, new Faults({ at, fail: 'EIO', always: true }))
      await storeConfig(files, config('a'), 'image').catch(() => {})
      seen.push(await readDiskState(host.files))
    }
    const torn = seen.filter((state) => state.config && state.image === undefined)
    expect(torn).toEqual([])
    expect(seen.at(-1)).toMatchObject({ config: config('a'), image: 'image' })
  })

  it('files of Ignition are cleaned up', async () => {
    const host = await machine({ [nodePaths.encapsulated]: '{}', [nodePaths.ignitionPreset]: 'x' })
    await cleanUpAfterIgnition(host.files, silentLogger)
    expect(await host.files.stat(nodePaths.encapsulated)).toBeUndefined()
    expect(await host.files.stat(`${nodePaths.encapsulated}.bak`)).toBeDefined()
    expect(await host.files.stat(nodePaths.ignitionPreset)).toBeUndefined()
    await cleanUpAfterIgnition(host.files, silentLogger)
  })
})
