import { beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { Transport } from '@machinist/kube/transport/transport'
import { ApiFailure } from '@machinist/kube/failure'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { CertificateFiles } from '../../../../src/daemon/trust/view/certificate-files.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { FollowedConfig, observedIn } from '../../../../src/daemon/trust/desired/followed-config.ts'
import { Ledger } from '../../../../src/daemon/trust/items/ledger.ts'
import { RegistryItem } from '../../../../src/daemon/trust/items/registry-item.ts'
import { machineConfig, spec } from '../../../../src/planner/configs.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { bundle } from './certificates.ts'
import { cas, DeliveryCluster, DeliveryNode, path } from './delivery-cluster.ts'
import { Trial } from './trial.ts'

const root = { uid: 0, gid: 0 }
const secret = '{"auths":{"registry.example":{"auth":"Y2FuYXJ5"}}}'
const registry = '/etc/docker/certs.d/registry.example:5000/ca.crt'
const others = [nodePaths.cloudCA, registry, nodePaths.registryPullSecret]

let host: MemoryHost
let files: HostFiles
let trial: Trial
beforeEach(async () => {
  host = new MemoryHost()
  files = host.files
  trial = await Trial.open({ files })
})

const text = async (at: string): Promise<string> => Buffer.from(await files.read(at)).toString()
const missing = async (): Promise<string[]> => {
  const found = await Promise.all(others.map((each) => files.stat(each)))
  return others.filter((_, index) => found[index] === undefined)
}
const put = (at: string, content: string | Uint8Array, mode = 0o644): Promise<void> =>
  files.write(at, { content: Buffer.from(content), mode, ...root })

async function giveAll(): Promise<void> {
  const [kubelet, cloud] = [await bundle('a'), await bundle('c')]
  const registries = { 'registry.example..5000': await bundle('d') }
  trial.config.give({ kubelet, cloud, registries, pullSecret: secret })
  await trial.settle()
}

describe('a recreated ControllerConfig', () => {
  it.each(['direct', 'rendered'])(
    'removes nothing before the trust controller has completed it (%s)',
    async (delivery) => {
      await giveAll()
      trial.config.remove()
      await trial.settle()
      trial.config.uid = 'another'
      trial.config.give({}, { hasDigests: false, isComplete: false, delivery })
      await trial.settle()
      expect(await missing()).toEqual([])
      expect(trial.view.at(nodePaths.kubeletCA)).toEqual({})
      trial.config.give({}, { delivery })
      await trial.settle()
      expect(await missing()).toEqual(delivery === 'direct' ? others : others.slice(1))
    },
  )

  it('does not allow an old config to remove a CA meanwhile', async () => {
    for (const directory of ['/etc/kubernetes', nodePaths.state]) {
      await files.makeDirectory(directory, { mode: 0o755, ...root })
    }
    const current = machineConfig('nothing', spec({ files: [] }))
    await put(nodePaths.currentConfig, JSON.stringify(current))
    const cluster = new DeliveryCluster()
    await cluster.setDesired('a', 'rendered')
    const old = await cluster.render()
    await cluster.setDesired('ab')
    const node = await DeliveryNode.start(cluster, host)
    await node.roll(await cluster.render())
    await node.trust()
    cluster.config.remove()
    for (const daemon of [node, await DeliveryNode.start(cluster, host)]) {
      await daemon.trust()
      expect(await daemon.roll(old)).toBe('applied')
      expect(await text(path)).toBe(await cas('ab'))
      expect(await daemon.drift()).toEqual([])
    }
  })
})

describe('a file', () => {
  it('that is too large to be the desired one is replaced', async () => {
    await giveAll()
    await put(nodePaths.kubeletCA, Buffer.alloc(5 * 1024 * 1024, 'x'))
    trial.changed(nodePaths.kubeletCA)
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })

  it('of a registry becomes readable for all users, whatever its mode was', async () => {
    for (const at of ['/etc', '/etc/docker', '/etc/docker/certs.d', registry.slice(0, -7)]) {
      await files.makeDirectory(at, { mode: 0o755, ...root })
    }
    await put(registry, 'something else', 0o600)
    await giveAll()
    expect(await files.stat(registry)).toMatchObject({ mode: 0o644 })
  })

  it('of a registry that a config contains, too, stays the one of the ControllerConfig while that specifies it', async () => {
    const [ours, theirs] = [await bundle('d'), Buffer.from(await bundle('e'))]
    const certificates = new CertificateFiles(files, trial.view)
    const keeps = (): Promise<boolean[]> =>
      Promise.all([
        certificates.keepsCurrent(registry, () => theirs),
        certificates.keepsCurrent(registry),
      ])
    trial.config.give({ registries: { 'registry.example..5000': ours } })
    expect(await keeps()).toEqual([false, false])
    await trial.settle()
    expect(await keeps()).toEqual([true, true])
    await files.remove(registry)
    expect(await keeps()).toEqual([false, false])
    trial.config.give({})
    await trial.settle()
    await put('/etc/docker/certs.d/x', '')
    expect(await keeps()).toEqual([false, false])
  })
})

it('registries are not removed if the ControllerConfig was not read', async () => {
  await giveAll()
  const ledger = await Ledger.open(files, silentLogger)
  const runExclusive = <T>(_: string, work: () => Promise<T>): Promise<T> => work()
  const item = new RegistryItem({ files, ledger, clock: new VirtualClock(), runExclusive })
  const request = { desired: 'x', signal: new AbortController().signal }
  await expect(item.apply(request)).rejects.toThrow('the ControllerConfig was not read')
  expect(await missing()).toEqual([])
})

describe('a lane', () => {
  const repaired = async (): Promise<number | 'settled'> => {
    await put(nodePaths.kubeletCA, 'something else')
    trial.changed(nodePaths.kubeletCA)
    return trial.once()
  }

  it('that backs off for one file repairs the others at once', async () => {
    await giveAll()
    for (let i = 0; i < 6; i++) {
      await put(nodePaths.cloudCA, 'something else')
      trial.changed(nodePaths.cloudCA)
      await trial.settle()
    }
    expect(await repaired()).toBe('settled')
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })

  it('whose disk fails for one file repairs the others at once', async () => {
    await giveAll()
    await files.remove(nodePaths.cloudCA)
    await files.makeDirectory(nodePaths.cloudCA, { mode: 0o755, ...root })
    trial.changed(nodePaths.cloudCA)
    await trial.settle(600_000)
    await repaired()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })
})

it('a rejected report is retried, but not every minute', async () => {
  const request = { method: 'PATCH', path: '/nodetrusts' }
  const refusing = await Trial.open({ files, config: trial.config })
  for (const [code, isOften] of [
    [403, false],
    [413, false],
    [422, false],
    [503, true],
  ] as const) {
    refusing.failure = new ApiFailure(request, code, {})
    trial.config.give({ cloud: await bundle(`c${code}`) })
    const waits: number[] = []
    for (let i = 0; i < 10; i++) waits.push(Number(await refusing.once()))
    expect([code, waits.at(-1)! < 100_000]).toEqual([code, isOften])
  }
})

it('an invalid digests annotation counts as absent', () => {
  const metadata = { name: 'x', annotations: { 'machinist.dev/trust-digests': 'nonsense' } }
  expect(observedIn({ metadata }, 'direct')).toMatchObject({
    digestsAnnotation: undefined,
    isComplete: false,
  })
})

it('a daemon without permission to read the ControllerConfig continues its updates', async () => {
  const refusing: Transport = {
    request: ({ path: at }) =>
      Promise.reject(new ApiFailure({ method: 'GET', path: at }, answer, {})),
    async *stream() {},
    close() {},
  }
  let answer = 403
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const client = new KubeClient({ transport: refusing, clock })
  const parts = { client, clock, random, log: silentLogger, metrics: new Metrics() }
  const config = new FollowedConfig({ ...parts, defaultDelivery: 'direct' })
  const { signal } = new AbortController()
  expect(await config.fetchObserved(signal)).toBeUndefined()
  answer = 404
  expect(await config.fetchObserved(signal)).toBeUndefined()
  answer = 500
  await expect(config.fetchObserved(signal)).rejects.toMatchObject({ code: 500 })
})

describe('a day without changes', () => {
  it.each([
    ['if every item is current', {}, 0, 7 * 24],
    ['if a bundle is refused', { cloud: 'no bundle' }, 24, 8 * 24],
  ])('costs almost nothing %s', async (_, more, reads, operations) => {
    const faults = new Faults()
    trial = await Trial.open({ files: faultyHost(host, faults, ['files']).files })
    const registries = { 'registry.example..5000': await bundle('d') }
    trial.config.give({ kubelet: await bundle('a'), registries, pullSecret: secret, ...more })
    await trial.settle()
    const before = [trial.config.reads, faults.count]
    for (let hour = 0; hour < 24; hour++) {
      trial.changed()
      await trial.settle(3_600_000)
    }
    expect([trial.config.reads - before[0]!, faults.count - before[1]!]).toEqual([
      reads,
      operations,
    ])
  })
})

describe('a fleet', () => {
  const wait = async (letter: string): Promise<number> => {
    trial.config.give({ kubelet: await bundle(letter) })
    return Number(await trial.once())
  }

  it('that was settled since it started spreads its reads over the whole period', async () => {
    await giveAll()
    const random = { next: () => 0.9 }
    trial = await Trial.open({ files, config: trial.config, jitterMs: 10_000, random })
    expect(await trial.once()).toBe('settled')
    expect(await wait('b')).toBe(9000)
  })

  it('spreads its reads over the whole period after a change that was reverted', async () => {
    await giveAll()
    trial = await Trial.open({ files, jitterMs: 10_000, random: { next: () => 0.9 } })
    trial.config.give({ kubelet: await bundle('a') })
    await trial.settle()
    expect(await wait('b')).toBe(9000)
    trial.config.give({ kubelet: await bundle('a') })
    expect(await trial.once()).toBe('settled')
    await trial.clock.advance(60_000)
    expect(await wait('c')).toBe(9000)
  })
})
