import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '@machinist/testing/until'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { mountedSecretsAt } from '../../../../src/daemon/host/files/mounted-secrets.ts'
import { bundle } from './certificates.ts'
import { Trial } from './trial.ts'

const given = '{"auths":{"given":{"auth":"x"},"both":{"auth":"of the cluster"}}}'
const mounted = '{"auths":{"both":{"username":"","password":"","email":"","auth":"mounted"}}}'
const both =
  '{"auths":{"both":{"username":"","password":"","email":"","auth":"mounted"},"given":{"username":"","password":"","email":"","auth":"x"}}}'

let directory: string
let files: HostFiles
let roles: readonly string[] | undefined
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'machinist-mounted-'))
  files = new MemoryHost().files
  roles = ['infra', 'worker']
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const open = (at = directory): Promise<Trial> =>
  Trial.open({ files, mounted: mountedSecretsAt(at), roles: () => roles })
const text = async (): Promise<string> =>
  Buffer.from(await files.read(nodePaths.registryPullSecret)).toString()

/** Mounts a Secret as Kubernetes does: an atomic swap of a symbolic link. */
async function mount(role: string, content: Readonly<Record<string, string>>): Promise<void> {
  const at = join(directory, role)
  const version = `..${Object.values(content).join().length}-${Math.floor(performance.now() * 1000)}`
  await mkdir(join(at, version), { recursive: true })
  for (const [key, value] of Object.entries(content)) {
    await writeFile(join(at, version, key), value)
    await rm(join(at, key), { force: true })
    await symlink(join('..data', key), join(at, key))
  }
  await symlink(version, join(at, '..fresh'))
  await rename(join(at, '..fresh'), join(at, '..data'))
}

describe('the pull secret of a node', () => {
  it.each([
    ['nothing is mounted', {}, given],
    ['one is mounted for its role', { infra: { '.dockerconfigjson': mounted } }, both],
    [
      'one is mounted for the other of its roles',
      { worker: { '.dockerconfigjson': mounted } },
      both,
    ],
    ['one is mounted for others only', { other: { '.dockerconfigjson': mounted } }, given],
    [
      'one is in the older format',
      { infra: { '.dockercfg': '{"both":{"auth":"mounted"}}' } },
      both,
    ],
    [
      'the newer format of another role takes precedence',
      { infra: { '.dockercfg': '{"x":{"auth":"y"}}' }, worker: { '.dockerconfigjson': mounted } },
      both,
    ],
  ])('is merged from the cluster and the mounted one: %s', async (_, mounts, expected) => {
    for (const [role, content] of Object.entries(mounts)) await mount(role, content)
    const trial = await open()
    trial.config.give({ pullSecret: given })
    await trial.settle()
    expect(await text()).toBe(expected)
    expect(await files.stat(nodePaths.registryPullSecret)).toMatchObject({ mode: 0o600 })
    expect(trial.states().at(-1)).toBe('registry-pull-secret Current')
    const { wantedDigest, actualDigest } = trial.lines().at(-1)!
    expect(actualDigest).toBe(wantedDigest)
    await trial.settle()
    const next = await open()
    next.config.give({ pullSecret: given })
    await next.settle()
    expect([trial.config.reads, next.config.reads]).toEqual([1, 0])
  })

  it('follows the mounted Secret when it is added, changed and removed', async () => {
    const trial = await open()
    trial.config.give({ pullSecret: given })
    await trial.settle()
    await mount('worker', { '.dockerconfigjson': mounted })
    trial.changed()
    await trial.settle()
    expect(await text()).toBe(both)
    await mount('worker', { '.dockerconfigjson': '{"auths":{"new":{"auth":"z"}}}' })
    trial.changed()
    await trial.settle()
    expect(await text()).toContain('"new":{"username":"","password":"","email":"","auth":"z"}')
    await rm(join(directory, 'worker'), { recursive: true })
    trial.changed()
    await trial.settle()
    expect(await text()).toBe(given)
  })

  it('is the mounted one if the cluster specifies none', async () => {
    await mount('worker', { '.dockerconfigjson': mounted })
    const trial = await open()
    trial.config.give({})
    await trial.settle()
    expect(await text()).toBe(mounted)
    expect(trial.states().at(-1)).toBe('registry-pull-secret Current')
    await rm(join(directory, 'worker'), { recursive: true })
    trial.changed()
    await trial.settle()
    expect(await files.stat(nodePaths.registryPullSecret)).toBeUndefined()
  })

  it.each([
    [
      'the mounted Secret is invalid',
      'TOPSECRET',
      ['worker'],
      'the mounted pull secret is not a JSON object',
    ],
    [
      'the node has no role',
      mounted,
      [],
      'the Node has no role label, so no mounted pull secret applies to it',
    ],
    ['its Node is not known', mounted, undefined, 'the roles of this node are not known yet'],
  ])(
    'stays unchanged, and other items are delivered, if %s',
    async (_, content, whose, message) => {
      roles = ['worker']
      const first = await open()
      first.config.give({ pullSecret: given })
      await first.settle()
      await mount('worker', { '.dockerconfigjson': content })
      roles = whose
      const trial = await open()
      trial.config.give({ pullSecret: '{"auths":{}}', kubelet: await bundle('a') })
      await trial.settle()
      expect(await text()).toBe(given)
      expect(trial.states()).toEqual([
        'kubelet-client-ca Current',
        'cloud-ca NotGiven',
        `registry-pull-secret Failed: ${message}`,
      ])
      roles = ['worker']
      await mount('worker', { '.dockerconfigjson': '{}' })
      trial.changed()
      await trial.settle()
      expect(await text()).toBe('{"auths":{}}')
    },
  )
})

describe('mounted secrets', () => {
  it('are none if the directory does not exist', async () => {
    const none = mountedSecretsAt(join(directory, 'not-there'))
    expect([await none.roles(), await none.read('worker', 'x')]).toEqual([[], undefined])
    none.watch(() => {}).close()
  })

  it('report when Kubernetes swaps them', async () => {
    await mount('worker', { '.dockerconfigjson': mounted })
    let changes = 0
    const watch = mountedSecretsAt(directory).watch(() => changes++)
    await mount('worker', { '.dockerconfigjson': '{}' })
    await until('the change is reported', () => changes > 0)
    watch.close()
    expect(changes).toBeGreaterThan(0)
  })
})
