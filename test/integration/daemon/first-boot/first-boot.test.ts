import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { FirstBootResult } from '../../../../src/daemon/first-boot/first-boot.ts'
import { completeFirstBoot } from '../../../../src/daemon/first-boot/first-boot.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { Faults, faultyHost } from '../../../../src/daemon/host/faults.fixture.ts'
import { withDriver } from '../with-driver.ts'

const image = 'os.example/os:2'

const served = (spec: MachineConfig['spec']): string =>
  JSON.stringify({
    metadata: { name: 'rendered-worker-1' },
    spec: { config: { ignition: { version: '3.4.0' } }, ...spec },
  })

async function machine(text: string, more: readonly string[] = []): Promise<MemoryHost> {
  const host = new MemoryHost({
    booted: { image: 'os.example/os:1', kernelArguments: ['rw', 'quiet', ...more] },
  })
  const content = Buffer.from(text)
  await host.files.write(nodePaths.encapsulated, { content, mode: 0o600, uid: 0, gid: 0 })
  return host
}

function firstBoot(
  host: Host,
  clock = new VirtualClock(),
  signal = new AbortController().signal,
): Promise<FirstBootResult> {
  const random = seededRandom(1)
  return completeFirstBoot({ host, clock, random, log: silentLogger }, signal)
}

const isThere = async (host: Host, path: string): Promise<boolean> =>
  (await host.files.stat(path)) !== undefined

describe('first boot', () => {
  it('changes the OS to the config, with one reboot', async () => {
    const host = await machine(served({ osImageURL: image, kernelArguments: ['nosmt'] }))
    expect(await firstBoot(host)).toBe('rebooting')
    expect(await isThere(host, nodePaths.encapsulated)).toBe(true)
    await host.boot()
    expect(await firstBoot(host)).toBe('done')
    expect(await isThere(host, nodePaths.encapsulated)).toBe(false)
    expect(await isThere(host, `${nodePaths.encapsulated}.bak`)).toBe(true)
    const { booted } = await host.os.state()
    expect(booted).toMatchObject({ image, kernelArguments: ['rw', 'quiet', 'nosmt'] })
    expect(await firstBoot(host)).toBe('nothing to do')
    expect(host.actions.filter(({ type }) => type === 'reboot')).toHaveLength(1)
  })

  it('repeats the change before the machine joins if its power is cut before the reboot', async () => {
    const host = await machine(served({ osImageURL: image }))
    expect(await firstBoot(host)).toBe('rebooting')
    const { booted } = await host.os.state()
    await host.boot()
    // The staged deployment is lost, because it is finalized when the machine shuts down.
    await host.os.stage(booted)
    await host.boot()
    expect(await isThere(host, nodePaths.encapsulated)).toBe(true)
    expect(await firstBoot(host)).toBe('rebooting')
    await host.boot()
    expect(await firstBoot(host)).toBe('done')
    expect((await host.os.state()).booted.image).toBe(image)
  })

  it('lets a machine join if the OS was not changed: its daemon reports that', async () => {
    const host = await machine(served({ osImageURL: image }))
    expect(await firstBoot(host)).toBe('rebooting')
    await host.os.breakFinalization('no space left on device')
    await host.boot()
    const clock = new VirtualClock()
    expect(await firstBoot(host, clock)).toBe('done')
    expect(clock.elapsed()).toBe(0)
    expect(await isThere(host, nodePaths.encapsulated)).toBe(false)
  })

  it('does nothing on a machine that has the right image', async () => {
    const osImageURL = 'docker://os.example/os:1'
    const host = await machine(served({ osImageURL, kernelArguments: ['rw quiet'] }))
    expect(await firstBoot(host)).toBe('nothing to do')
    expect(await isThere(host, nodePaths.encapsulated)).toBe(false)
    expect(await isThere(host, `${nodePaths.encapsulated}.bak`)).toBe(false)
    expect(host.actions).toEqual([])
  })

  it('does nothing if the config names no image: the machine keeps its own', async () => {
    const host = await machine(served({ kernelArguments: ['rw quiet'] }))
    expect(await firstBoot(host)).toBe('nothing to do')
    expect(host.actions).toEqual([])
  })

  it.each<[string, readonly string[], FirstBootResult]>([
    ['a=0 b=1', ['a=0', 'b=1'], 'nothing to do'],
    ['a=0 b=1', ['b=1', 'a=0'], 'rebooting'],
    ['a=0 b=1', ['a=0', 'b=1', 'a=0'], 'rebooting'],
    ['a=0 a=0 b=1', ['a=0', 'b=1', 'a=0'], 'rebooting'],
    ['a=0 b=1 a=0', ['a=0', 'b=1', 'a=0'], 'nothing to do'],
  ])('of a machine with the arguments %s and the config %j: %s', async (line, desired, result) => {
    const host = await machine(
      served({ osImageURL: 'os.example/os:1', kernelArguments: [...desired] }),
      line.split(' '),
    )
    expect(await firstBoot(host)).toBe(result)
    await host.boot()
    expect((await host.os.state()).booted.kernelArguments.slice(2)).toEqual(desired)
  })

  it('does nothing without a config of Ignition', async () => {
    expect(await firstBoot(new MemoryHost())).toBe('nothing to do')
  })

  it('lets a machine join if its OS cannot be changed', async () => {
    const host = await machine(served({ osImageURL: image, kernelArguments: ['nosmt'] }))
    expect(await firstBoot(withDriver(host, 'packages'))).toBe('done')
    expect(await isThere(host, nodePaths.encapsulated)).toBe(false)
  })

  it('resumes after an interruption', async () => {
    const host = await machine(served({ osImageURL: image }))
    const faults = new Faults({
      at: 1,
      die: 'before',
      by: 'freeze',
      only: (operation) => operation === 'os.stage',
    })
    void firstBoot(faultyHost(host, faults))
    await faults.died
    expect(await firstBoot(host)).toBe('rebooting')
    await host.boot()
    expect(await firstBoot(host)).toBe('done')
    expect((await host.os.state()).booted.image).toBe(image)
  })

  it('retries until it succeeds', async () => {
    const host = await machine('not a config')
    const clock = new VirtualClock()
    const end = firstBoot(host, clock)
    await clock.advance(59_000)
    const content = Buffer.from(served({ osImageURL: image }))
    await host.files.write(nodePaths.encapsulated, { content, mode: 0o600, uid: 0, gid: 0 })
    await clock.advance(13_000)
    expect(await end).toBe('rebooting')
  })

  it('stops when the signal aborts', async () => {
    const host = await machine('not a config')
    const stop = new AbortController()
    const end = firstBoot(host, new VirtualClock(), stop.signal)
    stop.abort()
    expect(await end).toBe('stopped')
  })
})
