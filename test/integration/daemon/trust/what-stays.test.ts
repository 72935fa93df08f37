import { beforeEach, describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { CertificateFiles } from '../../../../src/daemon/drift/certificate-files.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import { KubeClient } from '@machinist/kube/client'
import type { Transport } from '@machinist/kube/transport'
import { ApiFailure } from '@machinist/kube/failure'
import { FollowedConfig, seenIn } from '../../../../src/daemon/trust/followed-config.ts'
import { Ledger } from '../../../../src/daemon/trust/ledger.ts'
import { RegistryItem } from '../../../../src/daemon/trust/registry-item.ts'
import { machineConfig, spec } from '../../../../src/planner/configs.fixture.ts'
import { faultyHost, Faults } from '../../../../src/daemon/host/faults.fixture.ts'
import { bundle } from './certificates.ts'
import { cas, DeliveryCluster, DeliveryNode, path } from './delivery-world.ts'
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
  const found = await Promise.all(others.map((each) => files.look(each)))
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

describe('a ControllerConfig that was deleted and made anew', () => {
  it.each(['direct', 'rendered'])(
    'takes nothing away before its trust loop has come to it (%s)',
    async (delivery) => {
      await giveAll()
      trial.config.vanish()
      await trial.settle()
      trial.config.uid = 'another'
      trial.config.give({}, { saysDigests: false, isWhole: false, delivery })
      await trial.settle()
      expect(await missing()).toEqual([])
      expect(trial.view.at(nodePaths.kubeletCA)).toEqual({})
      trial.config.give({}, { delivery })
      await trial.settle()
      expect(await missing()).toEqual(delivery === 'direct' ? others : others.slice(1))
    },
  )

  it('is no moment in which an old config may take a CA away', async () => {
    for (const directory of ['/etc/kubernetes', nodePaths.state]) {
      await files.makeDirectory(directory, { mode: 0o755, ...root })
    }
    const current = machineConfig('nothing', spec({ files: [] }))
    await put(nodePaths.currentConfig, JSON.stringify(current))
    const cluster = new DeliveryCluster()
    await cluster.want('a', 'rendered')
    const old = await cluster.render()
    await cluster.want('ab')
    const node = await DeliveryNode.start(cluster, host)
    await node.roll(await cluster.render())
    await node.trust()
    cluster.config.vanish()
    for (const daemon of [node, await DeliveryNode.start(cluster, host)]) {
      await daemon.trust()
      expect(await daemon.roll(old)).toBe('applied')
      expect(await text(path)).toBe(await cas('ab'))
      expect(await daemon.drift()).toEqual([])
    }
  })
})

describe('a file', () => {
  it('that is too large to be what is wanted is replaced', async () => {
    await giveAll()
    await put(nodePaths.kubeletCA, Buffer.alloc(5 * 1024 * 1024, 'x'))
    trial.lane.changed(nodePaths.kubeletCA)
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })

  it('of a registry can be read by everybody, whoever made it before', async () => {
    for (const at of ['/etc', '/etc/docker', '/etc/docker/certs.d', registry.slice(0, -7)]) {
      await files.makeDirectory(at, { mode: 0o755, ...root })
    }
    await put(registry, 'something else', 0o600)
    await giveAll()
    expect(await files.look(registry)).toMatchObject({ mode: 0o644 })
  })

  it('of a registry that a config has, too, is the cluster’s for as long as it gives it', async () => {
    const [ours, theirs] = [await bundle('d'), Buffer.from(await bundle('e'))]
    const certificates = new CertificateFiles(files, trial.view)
    const keeps = (): Promise<boolean[]> =>
      Promise.all([certificates.keeps(registry, () => theirs), certificates.keeps(registry)])
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

it('registries that nobody has read are no registries that are to go', async () => {
  await giveAll()
  const ledger = await Ledger.open(files, silentLogger)
  const alone = <T>(_: string, work: () => Promise<T>): Promise<T> => work()
  const item = new RegistryItem({ files, ledger, clock: new VirtualClock(), alone })
  const order = { wanted: 'x', signal: new AbortController().signal }
  await expect(item.apply(order)).rejects.toThrow('the ControllerConfig was not read')
  expect(await missing()).toEqual([])
})

describe('a lane', () => {
  const mended = async (): Promise<number | 'settled'> => {
    await put(nodePaths.kubeletCA, 'something else')
    trial.lane.changed(nodePaths.kubeletCA)
    return trial.once()
  }

  it('that fights over one file mends the others at once', async () => {
    await giveAll()
    for (let i = 0; i < 6; i++) {
      await put(nodePaths.cloudCA, 'something else')
      trial.lane.changed(nodePaths.cloudCA)
      await trial.settle()
    }
    expect(await mended()).toBe('settled')
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })

  it('whose disk fails for one file mends the others at once', async () => {
    await giveAll()
    await files.remove(nodePaths.cloudCA)
    await files.makeDirectory(nodePaths.cloudCA, { mode: 0o755, ...root })
    trial.lane.changed(nodePaths.cloudCA)
    await trial.settle(600_000)
    await mended()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a'))
  })
})

it('a cluster that refuses what is told is told again, but not every minute', async () => {
  const asked = { method: 'PATCH', path: '/nodetrusts' }
  const refusing = await Trial.open({ files, config: trial.config })
  for (const [code, isOften] of [
    [403, false],
    [413, false],
    [422, false],
    [503, true],
  ] as const) {
    refusing.failure = new ApiFailure(asked, code, {})
    trial.config.give({ cloud: await bundle(`c${code}`) })
    const waits: number[] = []
    for (let i = 0; i < 10; i++) waits.push(Number(await refusing.once()))
    expect([code, waits.at(-1)! < 100_000]).toEqual([code, isOften])
  }
})

it('digests that nobody can read count as none: then generations tell', () => {
  const metadata = { name: 'x', annotations: { 'machinist.dev/trust-digests': 'nonsense' } }
  expect(seenIn({ metadata }, 'direct')).toMatchObject({ said: undefined, isWhole: false })
})

it('a daemon that may not read the ControllerConfig goes on with its updates', async () => {
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
  const config = new FollowedConfig({ ...parts, usualDelivery: 'direct' })
  const { signal } = new AbortController()
  expect(await config.ask(signal)).toBeUndefined()
  answer = 404
  expect(await config.ask(signal)).toBeUndefined()
  answer = 500
  await expect(config.ask(signal)).rejects.toMatchObject({ code: 500 })
})

describe('a day on which nothing changes', () => {
  it.each([
    ['when all is well', {}, 0, 7 * 24],
    ['when a bundle is refused', { cloud: 'no bundle' }, 24, 8 * 24],
  ])('costs next to nothing %s', async (_, more, reads, operations) => {
    const faults = new Faults()
    trial = await Trial.open({ files: faultyHost(host, faults, ['files']).files })
    const registries = { 'registry.example..5000': await bundle('d') }
    trial.config.give({ kubelet: await bundle('a'), registries, pullSecret: secret, ...more })
    await trial.settle()
    const before = [trial.config.reads, faults.count]
    for (let hour = 0; hour < 24; hour++) {
      trial.lane.changed()
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

  it('that was at rest since it started is spread over the whole time', async () => {
    await giveAll()
    const random = { next: () => 0.9 }
    trial = await Trial.open({ files, config: trial.config, jitterMs: 10_000, random })
    expect(await trial.once()).toBe('settled')
    expect(await wait('b')).toBe(9000)
  })

  it('is spread over the whole time after a change that was taken back', async () => {
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
