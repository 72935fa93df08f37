import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { convert } from '@machinist/ignition/convert/convert'
import type { Config } from '@machinist/ignition/spec/config'
import { openSandbox } from '../../src/daemon/host/sandbox/sandbox.ts'
import { applyIgnition } from '../../src/devcluster/ignition/apply-ignition.ts'
import { applicableConfig } from '../../src/devcluster/ignition/applicable-config.fixture.ts'
import { applyFirstBootPresets } from '../../src/devcluster/ignition/first-boot-presets.ts'
import { diskTree } from './disk-tree.ts'
import { describeOnMachines } from './host-tools.ts'
import { RealIgnition } from './real-ignition.ts'

describeOnMachines('the stand-in of Ignition', () => {
  let ignition: RealIgnition
  let directory: string

  beforeAll(async () => {
    ignition = await RealIgnition.find()
    directory = await mkdtemp(join(tmpdir(), 'machinist-stand-in-'))
    await chmod(directory, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** The differences between the disks that Ignition and the stand-in leave, one line each. */
  async function differences(config: Config): Promise<{ lines: string[]; isRefused: boolean }> {
    const place = await mkdtemp(join(directory, 'machine-'))
    // Ignition writes SSH keys as their user.
    await chmod(place, 0o755)
    const [own, other] = [join(place, 'own'), join(place, 'other')]
    const machine = await openSandbox({ root: own, clock: systemClock, plainLinks: true })
    await RealIgnition.prepareRoot(own)
    await promisify(execFile)('cp', ['--archive', own, other])
    const refused = await applyIgnition(machine, config).then(() => undefined, messageOf)
    const { exitCode, log } = await ignition.apply(JSON.stringify(convert(config, '3.3')), other)
    const isRefused = exitCode !== 0
    if (!isRefused && refused === undefined) {
      await applyFirstBootPresets(machine)
      await presetAll(other)
    }
    const [ours, real] = [await disk(own), await disk(other)]
    await rm(place, { recursive: true, force: true })
    if (isRefused !== (refused !== undefined)) {
      const end = log.match(/\(critical\).*|.*CRIT.*/gi)?.join('\n') ?? log
      return {
        lines: [`Ignition: ${isRefused ? end : 'applied'}, stand-in: ${refused}`],
        isRefused,
      }
    }
    if (isRefused) return { lines: [], isRefused }
    const paths = [...new Set([...Object.keys(ours), ...Object.keys(real)])].sort()
    const lines = paths
      .filter((path) => ours[path] !== real[path])
      .map((path) => `${path}: Ignition ${real[path]}, stand-in ${ours[path]}`)
    return { lines, isRefused }
  }

  it('writes the same disk as Ignition and the first boot of systemd, and refuses the same configs', async () => {
    const configs = fc.sample(applicableConfig(), { numRuns: 40, seed: 7 })
    let written = 0
    for (const config of configs.map(supported)) {
      const { lines, isRefused } = await differences(config)
      if (!isRefused) written++
      expect({ config, lines }).toEqual({ config, lines: [] })
    }
    // The comparison proves nothing if every config is refused.
    expect(written).toBeGreaterThan(20)
  })
})

/** What systemd does at the first boot. It reports units that it cannot enable, and continues. */
const presetAll = (root: string): Promise<unknown> =>
  promisify(execFile)('systemctl', [
    `--root=${root}`,
    'preset-all',
    '--preset-mode=enable-only',
  ]).catch(() => undefined)

/** Without what Ignition 2.14 cannot do here. */
function supported({ ignition, passwd, storage, systemd = {} }: Config): Config {
  // For instances it asks a running systemd for its version. It also fails to disable units that do not exist.
  const units = systemd.units?.map(({ enabled, ...unit }) => {
    const isDecided = enabled === undefined || unit.name.includes('@')
    const cannotBeDisabled = enabled === false && (!unit.contents || unit.mask)
    return isDecided || cannotBeDisabled ? unit : { ...unit, enabled }
  })
  return {
    ignition,
    ...(passwd && { passwd }),
    ...(storage && { storage }),
    systemd: { units: units ?? [] },
  }
}

/** Without what only one of them writes: locks and backups of useradd, the state of the simulation. */
async function disk(root: string): Promise<Record<string, string>> {
  const tree = await diskTree(root, (path, content) => {
    if (path === '/etc/.ignition-result.json') return ''
    // The date of the last change.
    if (path === '/etc/shadow') return content.replaceAll(/^([^:]*:[^:]*):\d*/gm, '$1')
    if (!path.endsWith('20-ignition.preset')) return content
    // Ignition 2.14 writes them in random order.
    return content.split('\n').sort().join('\n')
  })
  const isOwn = (path: string): boolean =>
    /^\/etc\/((passwd|group|shadow|gshadow)-|gshadow$|\.pwd\.lock$)/.test(path) ||
    path.startsWith('/var/lib/machinist-sandbox/') ||
    path === '/var/log/machinist-sandbox.log'
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !isOwn(path)))
}
