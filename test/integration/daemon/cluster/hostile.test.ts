import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import { config, quietFile } from '../follow/facts.ts'
import { scene } from './scene.ts'

/* Invalid configs are refused with a reason, and the next valid config is applied. */
const cluster = scene()

const bomb = gzipSync(Buffer.alloc(40 << 20)).toString('base64')

const withFiles = (name: string, ...files: object[]): MachineConfig => {
  const made = config(name, { [quietFile]: name })
  const known = made.spec!.config as { storage: { files: object[] } }
  const storage = { files: [...known.storage.files, ...files] }
  return { ...made, spec: { config: { ...known, storage } } }
}

const file = (path: string, more: object = {}): object => ({
  path,
  mode: 0o644,
  contents: { source: 'data:,x', ...more },
})

const hostile: Readonly<Record<string, readonly [object[], RegExp]>> = {
  'climbs out': [[file('../../etc/shadow')], /\.\.\/\.\.\/etc\/shadow/],
  'line break': [[file('/etc/a\nb')], /line break/],
  twice: [[file('/etc/a'), file('/etc/a')], /duplicate/],
  'other spelling': [[file('/etc/a'), file('/etc//a')], /\/etc\/\/a/],
  'no gzip': [[file('/etc/a', { compression: 'gzip' })], /gzip/],
  'wrong hash': [
    [file('/etc/a', { verification: { hash: `sha256-${'0'.repeat(64)}` } })],
    /\/etc\/a/,
  ],
  device: [[file('/dev/sda')], /belongs to the kernel/],
  journal: [[file('/etc/machine-config-daemon/journal/log')], /reserved for the daemon/],
  bomb: [
    [file('/etc/a', { source: `data:;base64,${bomb}`, compression: 'gzip' })],
    /decompresses to more than/,
  ],
}

describe('a hostile config', { timeout: 120_000 }, () => {
  it('is refused with the reason, and the next valid one is applied', async () => {
    const node = await cluster.machine('target').joined(withFiles('good-1'), {
      topology: 'SingleReplica',
    })
    node.start()
    await node.untilDone('good-1')
    for (const [what, [files, reason]] of Object.entries(hostile)) {
      const name = `hostile-${what.replaceAll(' ', '-')}`
      await node.desire(withFiles(name, ...files))
      await node.until(`${what} is refused`, async () => {
        return ((await node.annotation('reason')) ?? '').includes(`with ${name}: `)
      })
      const found = await node.annotation('reason')
      expect(found).toMatch(reason)
      expect(found!.length).toBeLessThan(1000)
      expect(await node.annotation('state')).toBe('Unreconcilable')
      expect(await node.read(quietFile)).toBe('good-1')
    }
    await node.desire(withFiles('good-2'))
    await node.untilDone('good-2')
    expect(node.host.actions).toEqual([])
    expect(await node.host.files.stat('/etc/a')).toBeUndefined()
  })

  it('for a machine with a device at the path of a file is rolled back with a reason', async () => {
    const node = await cluster.machine('device').joined(withFiles('device-1'), {
      topology: 'SingleReplica',
    })
    const stat = node.host.files.stat.bind(node.host.files)
    node.host.files.stat = (path) =>
      path === '/etc/odd' ? Promise.resolve({ type: 'other' }) : stat(path)
    node.start()
    await node.untilDone('device-1')
    await node.desire(withFiles('device-2', file('/etc/odd')))
    await node.untilAnnotation('state', 'Degraded')
    expect(await node.annotation('reason')).toMatch(
      /\/etc\/odd cannot be replaced: it is a device, socket or pipe/,
    )
    expect(await node.read(quietFile)).toBe('device-1')
  })
})
