import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/resources.ts'
import type { CertificateDelivery } from '../../../../src/api/trust/items.ts'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { DriftWatch } from '../../../../src/daemon/drift/drift-watch.ts'
import { CertificateFiles } from '../../../../src/daemon/drift/certificate-files.ts'
import { Exceptions } from '../../../../src/daemon/drift/exceptions.ts'
import { healPlan } from '../../../../src/daemon/drift/heal-plan.ts'
import { inWords } from '../../../../src/daemon/drift/in-words.ts'
import { pathsOf } from '../../../../src/daemon/drift/watched-paths.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { Difference } from '../../../../src/daemon/verify/difference.ts'
import { changedFile, config, facts, quietFile } from '../follow/facts.ts'

const withUnits: MachineConfig = {
  metadata: { name: 'units' },
  spec: {
    config: {
      ignition: { version: '3.4.0' },
      systemd: {
        units: [
          { name: 'a.service', contents: '[Unit]' },
          { name: 'kubelet.service', dropins: [{ name: '10-x.conf', contents: '[Service]' }] },
        ],
      },
    },
  },
}

const odd = (value: unknown): MachineConfig =>
  ({ metadata: { name: 'odd' }, spec: { config: value } }) as MachineConfig

const certificates = (delivery: CertificateDelivery): CertificateFiles =>
  new CertificateFiles(new MemoryHost().files, { delivery, at: () => undefined })
const [direct, rendered] = [certificates('direct'), certificates('rendered')]

describe('exceptions', () => {
  it('are files, directories and patterns', () => {
    const exceptions = new Exceptions(['/etc/a', '/etc/tuned', '/etc/*.bak'], rendered)
    const covered = ['/etc/a', '/etc/tuned/x/y', '/etc/z.bak']
    expect(covered.filter((path) => exceptions.has(path))).toEqual(covered)
    expect(
      ['/etc/ab', '/etc/tunedx', '/etc/d/z.bak', '/'].filter((path) => exceptions.has(path)),
    ).toEqual([])
  })

  it('hold what has its own way to the node, where certificates are not rendered', () => {
    const ca = '/etc/kubernetes/kubelet-ca.crt'
    expect(new Exceptions([], direct).has(ca)).toBe(true)
    expect(new Exceptions([], rendered).has(ca)).toBe(false)
  })

  it('leave the other differences', () => {
    const other = { ...changedFile, at: '/etc/tuned/x' }
    expect(new Exceptions(['/etc/tuned'], direct).without([changedFile, other])).toEqual([
      changedFile,
    ])
  })
})

describe('differences in words', () => {
  it('are told completely while they are few', () => {
    expect(inWords([changedFile, { ...changedFile, at: '/b', what: 'is not there' }])).toBe(
      '/etc/motd has content sha256:1111, expected sha256:2222; /b is not there',
    )
  })

  it('name the MachineConfig that brought each part', () => {
    const missing = (kind: Difference['kind'], at: string) => ({ kind, at, what: 'is not there' })
    const told = inWords(
      [
        missing('file', '/etc/motd'),
        missing('unit', '/etc/systemd/system/a.service'),
        missing('dropin', '/etc/systemd/system/kubelet.service.d/10-x.conf'),
        missing('file', '/etc/unknown'),
      ],
      {
        file: { '/etc/motd': '50-motd' },
        unit: { 'a.service': '60-units' },
        dropin: { 'kubelet.service/10-x.conf': '60-units' },
      },
    )
    expect(told).toBe(
      '/etc/motd (MachineConfig 50-motd) is not there; /etc/systemd/system/a.service (MachineConfig 60-units) is not there; /etc/systemd/system/kubelet.service.d/10-x.conf (MachineConfig 60-units) is not there; /etc/unknown is not there',
    )
  })

  it('say how many are left out', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ ...changedFile, at: `/etc/file-${at}` }))
    const told = inWords(many)
    expect(told.length).toBeLessThan(1800)
    expect(told).toMatch(/; and \d+ more$/)
  })
})

describe('what is watched', () => {
  it('is every path that a config speaks of', () => {
    expect(pathsOf(withUnits)).toEqual([
      '/etc/systemd/system/a.service',
      '/etc/systemd/system/kubelet.service',
      '/etc/systemd/system/kubelet.service.d/10-x.conf',
    ])
    expect(pathsOf(odd('nonsense'))).toEqual([])
  })
})

describe('healing', () => {
  const node = { ...facts().machine, forced: false, drains: true }
  const plan = (made: MachineConfig, ...differences: Difference[]): unknown =>
    healPlan(made, differences, { rules: '4.16' }, node)

  it('writes what differs and takes the actions of such a change', () => {
    const policy = '/etc/containers/policy.json'
    const made = config('a', { [policy]: 'x', [quietFile]: 'y' })
    expect(plan(made, { ...changedFile, at: policy })).toMatchObject({
      from: 'a',
      to: 'a',
      steps: [
        { do: 'write-file', path: policy },
        { do: 'store-config' },
        { do: 'reload', service: 'crio.service' },
      ],
    })
  })

  it('is not done where it would reboot, or where nothing can be written', () => {
    expect(plan(config('a'), changedFile)).toBeUndefined()
    expect(
      plan(withUnits, { kind: 'unit', at: '/etc/systemd/system/a.service', what: 'x' }),
    ).toBeUndefined()
    expect(plan(config('a'), { kind: 'osImage', at: 'the OS', what: 'x' })).toBeUndefined()
    expect(plan(config('a'), { ...changedFile, at: '/etc/unknown' })).toBeUndefined()
    expect(plan({ metadata: { name: 'a' } }, changedFile)).toBeUndefined()
  })

  it('never throws, whatever the config is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plan(odd(value), changedFile)).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })
})

describe('the watch', () => {
  async function watching(): Promise<{
    host: MemoryHost
    clock: VirtualClock
    watch: DriftWatch
    told: string[]
  }> {
    const host = new MemoryHost()
    const clock = new VirtualClock()
    const told: string[] = []
    const watch = new DriftWatch({
      files: host.files,
      clock,
      random: seededRandom(1),
      exceptions: new Exceptions(['/etc/hosts'], direct),
      changed: () => told.push('changed'),
      forced: () => told.push('forced'),
    })
    watch.arm(config('a', { '/etc/motd': 'x', '/etc/hosts': 'y' }))
    return { host, clock, watch, told }
  }
  const file = { content: Buffer.from('z'), mode: 0o644, uid: 0, gid: 0 }

  it('tells once of several changes in a row', async () => {
    const { host, clock, told } = await watching()
    await host.files.write('/etc/motd', file)
    await host.files.write('/etc/motd', file)
    expect(told).toEqual([])
    await clock.advance(100)
    expect(told).toEqual(['changed'])
  })

  it('is not kept waiting by changes that never end, and looks at them more and more seldom', async () => {
    const { host, clock, told } = await watching()
    const tellsDuring = async (seconds: number): Promise<number> => {
      const before = told.length
      for (let ms = 0; ms < seconds * 1000; ms += 50) {
        await host.files.write('/etc/motd', file)
        await clock.advance(50)
      }
      return told.length - before
    }
    expect(await tellsDuring(1)).toBeGreaterThan(1)
    expect(await tellsDuring(60)).toBeLessThan(10)
    expect(await tellsDuring(300)).toBeLessThan(7)
    await clock.advance(10 * 60_000)
    told.length = 0
    await host.files.write('/etc/motd', file)
    await clock.advance(100)
    expect(told).toEqual(['changed'])
  })

  it('tells of the force file, and not of exceptions', async () => {
    const { host, clock, told } = await watching()
    await host.files.write('/etc/hosts', file)
    await host.files.write(nodePaths.force, file)
    await clock.advance(1000)
    expect(told).toEqual(['forced'])
  })

  it('sweeps within 36 minutes even if nothing was told', async () => {
    const { clock, told } = await watching()
    await clock.advance(29 * 60_000)
    expect(told).toEqual([])
    await clock.advance(7 * 60_000)
    expect(told).toEqual(['changed'])
  })

  it('tells nothing while it pauses', async () => {
    const { host, clock, watch, told } = await watching()
    await host.files.write('/etc/motd', file)
    watch.pause()
    await host.files.write('/etc/motd', file)
    await clock.advance(60 * 60_000)
    expect(told).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
