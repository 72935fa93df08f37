import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../../src/api/trust/items.ts'
import { DriftWatch } from '../../../../src/daemon/drift/drift-watch.ts'
import { CertificateFiles } from '../../../../src/daemon/trust/view/certificate-files.ts'
import { DriftExceptions } from '../../../../src/daemon/drift/exceptions.ts'
import { healPlan } from '../../../../src/daemon/drift/heal-plan.ts'
import { describeDifferences } from '../../../../src/daemon/drift/describe-differences.ts'
import { watchedPaths } from '../../../../src/daemon/drift/watched-paths.ts'
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

describe('drift exceptions', () => {
  it('are files, directories and patterns', () => {
    const exceptions = new DriftExceptions(['/etc/a', '/etc/tuned', '/etc/*.bak'], rendered)
    const covered = ['/etc/a', '/etc/tuned/x/y', '/etc/z.bak']
    expect(covered.filter((path) => exceptions.has(path))).toEqual(covered)
    expect(
      ['/etc/ab', '/etc/tunedx', '/etc/d/z.bak', '/'].filter((path) => exceptions.has(path)),
    ).toEqual([])
  })

  it('include files of the trust lane with direct delivery', () => {
    const ca = '/etc/kubernetes/kubelet-ca.crt'
    expect(new DriftExceptions([], direct).has(ca)).toBe(true)
    expect(new DriftExceptions([], rendered).has(ca)).toBe(false)
  })

  it('leave the other differences', () => {
    const other = { ...changedFile, at: '/etc/tuned/x' }
    expect(new DriftExceptions(['/etc/tuned'], direct).without([changedFile, other])).toEqual([
      changedFile,
    ])
  })
})

describe('the description of differences', () => {
  it('is complete for a few differences', () => {
    expect(
      describeDifferences([changedFile, { ...changedFile, at: '/b', what: 'is not there' }]),
    ).toBe('/etc/motd has content sha256:1111, expected sha256:2222; /b is not there')
  })

  it('names the MachineConfig of each path', () => {
    const missing = (kind: Difference['kind'], at: string) => ({ kind, at, what: 'is not there' })
    const text = describeDifferences(
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
    expect(text).toBe(
      '/etc/motd (MachineConfig 50-motd) is not there; /etc/systemd/system/a.service (MachineConfig 60-units) is not there; /etc/systemd/system/kubelet.service.d/10-x.conf (MachineConfig 60-units) is not there; /etc/unknown is not there',
    )
  })

  it('contains the number of omitted differences', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ ...changedFile, at: `/etc/file-${at}` }))
    const text = describeDifferences(many)
    expect(text.length).toBeLessThan(1800)
    expect(text).toMatch(/; and \d+ more$/)
  })
})

describe('the watched paths', () => {
  it('are all paths of a config', () => {
    expect(watchedPaths(withUnits)).toEqual([
      '/etc/systemd/system/a.service',
      '/etc/systemd/system/kubelet.service',
      '/etc/systemd/system/kubelet.service.d/10-x.conf',
    ])
    expect(watchedPaths(odd('nonsense'))).toEqual([])
  })
})

describe('healing', () => {
  const node = { ...facts().machine, forced: false, drains: true }
  const plan = (made: MachineConfig, ...differences: Difference[]): unknown =>
    healPlan(made, differences, { rules: '4.16' }, node)

  it('rewrites what differs, with the actions of such a change', () => {
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

  it('is not planned if it needs a reboot, or if nothing can be written', () => {
    expect(plan(config('a'), changedFile)).toBeUndefined()
    expect(
      plan(withUnits, { kind: 'unit', at: '/etc/systemd/system/a.service', what: 'x' }),
    ).toBeUndefined()
    expect(plan(config('a'), { kind: 'osImage', at: 'the OS', what: 'x' })).toBeUndefined()
    expect(plan(config('a'), { ...changedFile, at: '/etc/unknown' })).toBeUndefined()
    expect(plan({ metadata: { name: 'a' } }, changedFile)).toBeUndefined()
  })

  it('never throws for any config', () => {
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
    reported: string[]
  }> {
    const host = new MemoryHost()
    const clock = new VirtualClock()
    const reported: string[] = []
    const watch = new DriftWatch({
      files: host.files,
      clock,
      random: seededRandom(1),
      exceptions: new DriftExceptions(['/etc/hosts'], direct),
      changed: () => reported.push('changed'),
      forced: () => reported.push('forced'),
    })
    watch.arm(config('a', { '/etc/motd': 'x', '/etc/hosts': 'y' }))
    return { host, clock, watch, reported }
  }
  const file = { content: Buffer.from('z'), mode: 0o644, uid: 0, gid: 0 }

  it('reports several changes in a row once', async () => {
    const { host, clock, reported } = await watching()
    await host.files.write('/etc/motd', file)
    await host.files.write('/etc/motd', file)
    expect(reported).toEqual([])
    await clock.advance(100)
    expect(reported).toEqual(['changed'])
  })

  it('reports endless changes with back-off', async () => {
    const { host, clock, reported } = await watching()
    const reportsDuring = async (seconds: number): Promise<number> => {
      const before = reported.length
      for (let ms = 0; ms < seconds * 1000; ms += 50) {
        await host.files.write('/etc/motd', file)
        await clock.advance(50)
      }
      return reported.length - before
    }
    expect(await reportsDuring(1)).toBeGreaterThan(1)
    expect(await reportsDuring(60)).toBeLessThan(10)
    expect(await reportsDuring(300)).toBeLessThan(7)
    await clock.advance(10 * 60_000)
    reported.length = 0
    await host.files.write('/etc/motd', file)
    await clock.advance(100)
    expect(reported).toEqual(['changed'])
  })

  it('reports the force file, and not exceptions', async () => {
    const { host, clock, reported } = await watching()
    await host.files.write('/etc/hosts', file)
    await host.files.write(nodePaths.force, file)
    await clock.advance(1000)
    expect(reported).toEqual(['forced'])
  })

  it('sweeps within 36 minutes without any event', async () => {
    const { clock, reported } = await watching()
    await clock.advance(29 * 60_000)
    expect(reported).toEqual([])
    await clock.advance(7 * 60_000)
    expect(reported).toEqual(['changed'])
  })

  it('reports nothing while it is paused', async () => {
    const { host, clock, watch, reported } = await watching()
    await host.files.write('/etc/motd', file)
    watch.pause()
    await host.files.write('/etc/motd', file)
    await clock.advance(60 * 60_000)
    expect(reported).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
