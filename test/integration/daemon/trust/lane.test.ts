import { beforeEach, describe, expect, it } from 'vitest'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import { authority, bundle } from './certificates.ts'
import { Trial } from './trial.ts'

const secret = '{"auths":{"registry.example":{"auth":"Y2FuYXJ5"}}}'
const registry = '/etc/docker/certs.d/registry.example:5000/ca.crt'

let files: HostFiles
let trial: Trial
beforeEach(async () => {
  files = new MemoryHost().files
  trial = await Trial.open({ files })
})

const text = async (path: string): Promise<string> => Buffer.from(await files.read(path)).toString()
const isThere = async (path: string): Promise<boolean> => (await files.stat(path)) !== undefined
async function put(path: string, content: string, mode = 0o644): Promise<void> {
  const parts = path.split('/').slice(1, -1)
  for (const [at] of parts.entries()) {
    const directory = `/${parts.slice(0, at + 1).join('/')}`
    await files.makeDirectory(directory, { mode: 0o755, uid: 0, gid: 0 })
  }
  await files.write(path, { content: Buffer.from(content), mode, uid: 0, gid: 0 })
}

describe('the trust of the ControllerConfig', () => {
  it('is delivered with one read of the payload, each item to its path', async () => {
    const [kubelet, cloud, ours] = [await bundle('a', 'b'), await bundle('c'), await bundle('d')]
    const registries = { 'registry.example..5000': ours }
    trial.config.give({ kubelet, cloud, registries, pullSecret: secret })
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(kubelet)
    expect(await text(nodePaths.cloudCA)).toBe(cloud)
    expect(await text(registry)).toBe(ours)
    expect(await text(nodePaths.registryPullSecret)).toBe(secret)
    expect(await files.stat(nodePaths.registryPullSecret)).toMatchObject({ mode: 0o600 })
    expect(await files.stat(nodePaths.kubeletCA)).toMatchObject({ mode: 0o644 })
    expect(await files.stat('/etc/docker/certs.d/registry.example:5000')).toMatchObject({
      mode: 0o755,
    })
    expect(trial.config.reads).toBe(1)
    expect(trial.states()).toEqual([
      'kubelet-client-ca Current',
      'cloud-ca Current',
      'registry-ca/registry.example:5000 Current',
      'registry-pull-secret Current',
    ])
    expect(trial.reports).toHaveLength(1)
  })

  it('is not written again, neither by the same daemon nor by the next one', async () => {
    trial.config.give({ kubelet: await bundle('a'), pullSecret: secret })
    await trial.settle()
    await trial.settle()
    trial.changed()
    await trial.settle()
    const next = await Trial.open({ files, config: trial.config })
    await next.settle()
    expect(trial.written()).toEqual(['kubelet-client-ca', 'registry-pull-secret'])
    expect(next.written()).toEqual([])
    expect(trial.config.reads).toBe(1)
    expect(next.states()).toEqual(trial.states())
  })

  it('is written only where it differs', async () => {
    const given = { cloud: await bundle('c'), pullSecret: secret }
    trial.config.give({ ...given, kubelet: await bundle('a') })
    await trial.settle()
    trial.config.give({ ...given, kubelet: await bundle('a', 'b') })
    await trial.settle()
    expect(trial.reports.at(-1)?.written).toEqual(['kubelet-client-ca'])
    expect(trial.config.reads).toBe(2)
  })

  it('keeps the mode of the existing file; only root can read credentials', async () => {
    await put(nodePaths.kubeletCA, 'old', 0o640)
    await put(nodePaths.registryPullSecret, secret, 0o644)
    trial.config.give({ kubelet: await bundle('a'), pullSecret: secret })
    await trial.settle()
    expect(await files.stat(nodePaths.kubeletCA)).toMatchObject({ mode: 0o640 })
    expect(await files.stat(nodePaths.registryPullSecret)).toMatchObject({ mode: 0o600 })
  })

  it('is written byte by byte, in its order, with a final newline', async () => {
    const [a, b] = [await authority('a'), await authority('b')]
    const given = `# two\r\n${b}${a}${b}`.trimEnd()
    trial.config.give({ kubelet: given })
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(`${given}\n`)
  })

  it('is restored when another writer changes the disk', async () => {
    const kubelet = await bundle('a')
    trial.config.give({ kubelet })
    await trial.settle()
    await put(nodePaths.kubeletCA, 'something else')
    trial.changed(nodePaths.kubeletCA)
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(kubelet)
  })

  it('is delivered although the disk changes during the delivery', async () => {
    const kubelet = await bundle('a')
    trial.config.give({ kubelet })
    trial.config.duringRead = () => trial.changed()
    expect(await trial.once()).toBe('settled')
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
    expect(trial.written()).toEqual(['kubelet-client-ca'])
  })

  it('is reported with certificates, digests, times and source', async () => {
    const kubelet = await bundle('early', 'late')
    trial.config.give({ kubelet })
    await trial.settle()
    const [line] = trial.lines()
    expect(line).toMatchObject({
      name: 'kubelet-client-ca',
      paths: ['/etc/kubernetes/kubelet-ca.crt'],
      earliestNotAfter: '2036-01-01T00:00:00Z',
      writtenAt: '2026-01-01T00:00:00Z',
      source: {
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'ControllerConfig',
        name: 'machine-config-controller',
        fieldPath: 'spec.kubeAPIServerServingCAData',
      },
    })
    expect(line?.wantedDigest).toBe(line?.actualDigest)
    expect(line?.certificates?.map(({ subject }) => subject)).toEqual(['CN=early', 'CN=late'])
  })
})

describe('an item that the ControllerConfig no longer specifies', () => {
  it('is removed from the disk, except the CA that the kubelet needs to start', async () => {
    const kubelet = await bundle('a')
    trial.config.give({
      kubelet,
      cloud: await bundle('c'),
      registries: { 'registry.example..5000': await bundle('d') },
      pullSecret: secret,
    })
    await trial.settle()
    trial.config.give({})
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(kubelet)
    expect(await isThere(nodePaths.cloudCA)).toBe(false)
    expect(await isThere('/etc/docker/certs.d/registry.example:5000')).toBe(false)
    expect(await isThere('/etc/docker/certs.d')).toBe(true)
    expect(await isThere(nodePaths.registryPullSecret)).toBe(false)
    expect(trial.states()).toEqual([
      'kubelet-client-ca NotGiven',
      'cloud-ca NotGiven',
      'registry-pull-secret NotGiven',
    ])
    expect(trial.config.reads).toBe(1)
  })

  it('stays if the lane does not own it', async () => {
    await put(nodePaths.cloudCA, 'from elsewhere')
    await put(nodePaths.registryPullSecret, '{}')
    await put('/etc/docker/certs.d/other.example/ca.crt', 'from elsewhere')
    trial.config.give({})
    await trial.settle()
    expect(await text(nodePaths.cloudCA)).toBe('from elsewhere')
    expect(await text(nodePaths.registryPullSecret)).toBe('{}')
    expect(await text('/etc/docker/certs.d/other.example/ca.crt')).toBe('from elsewhere')
  })

  it('stays when the ControllerConfig is deleted', async () => {
    const cloud = await bundle('c')
    trial.config.give({ cloud })
    await trial.settle()
    trial.config.remove()
    await trial.settle()
    expect(await text(nodePaths.cloudCA)).toBe(cloud)
  })
})

describe('registry CAs', () => {
  it('of one host are added and removed without changes to others or to other files', async () => {
    const [a, b] = [await bundle('a'), await bundle('b')]
    await put('/etc/docker/certs.d/by-hand/ca.crt', 'by hand')
    trial.config.give({ registries: { 'one..5000': a, two: b } })
    await trial.settle()
    await put('/etc/docker/certs.d/one:5000/client.cert', 'by hand, too')
    trial.config.give({ registries: { two: b }, userRegistries: { three: a } })
    await trial.settle()
    expect(await files.list('/etc/docker/certs.d')).toEqual(['by-hand', 'one:5000', 'three', 'two'])
    expect(await files.list('/etc/docker/certs.d/one:5000')).toEqual(['client.cert'])
    expect(trial.reports.at(-1)?.written).toEqual(['registry-ca/one:5000', 'registry-ca/three'])
  })

  it('of a host that is not a valid directory name are refused without retries, and the others are delivered', async () => {
    const a = await bundle('a')
    const registries = { good: a, '../../etc/x': a, 'a/b': a, broken: 'no certificate' }
    trial.config.give({ registries })
    await trial.settle()
    expect(await text('/etc/docker/certs.d/good/ca.crt')).toBe(a)
    expect(await files.list('/etc/docker/certs.d')).toEqual(['good'])
    expect(trial.states().slice(2, -1)).toEqual([
      'registry-ca/good Current',
      'registry-ca/:/../etc/x Failed: the name is not a valid registry host',
      'registry-ca/a/b Failed: the name is not a valid registry host',
      'registry-ca/broken Failed: the bundle contains no certificate',
    ])
    expect(trial.config.reads).toBe(1)
    expect(await trial.once()).toBe('settled')
  })
})

describe('an invalid item', () => {
  it('is refused without affecting others: the disk keeps its content, and valid items are delivered', async () => {
    const [a, c] = [await bundle('a'), await bundle('c')]
    trial.config.give({ kubelet: a, cloud: c, pullSecret: secret })
    await trial.settle()
    // The broken one comes first, because the number of lines of a certificate depends on its signature.
    const cut = (await bundle('b')).slice(0, -40) + '\n' + a
    trial.config.give({ kubelet: cut, cloud: await bundle('d'), pullSecret: 'canary' })
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(a)
    expect(await text(nodePaths.cloudCA)).toBe(await bundle('d'))
    expect(await text(nodePaths.registryPullSecret)).toBe(secret)
    expect(trial.states()).toEqual([
      'kubelet-client-ca Failed: line 1 of the bundle is invalid: PEM block "CERTIFICATE" has no END line',
      'cloud-ca Current',
      'registry-pull-secret Failed: the pull secret of the cluster is not a JSON object',
    ])
    // There is no retry until the ControllerConfig changes.
    expect(await trial.once()).toBe('settled')
    expect(trial.config.reads).toBe(2)
    trial.config.give({ kubelet: await bundle('a', 'b'), cloud: c, pullSecret: secret })
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a', 'b'))
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
  })
})

describe('rendered delivery', () => {
  it('leaves two items to MachineConfigs and reports their state; the others are delivered', async () => {
    const [a, c] = [await bundle('a'), await bundle('c')]
    await put(nodePaths.kubeletCA, a)
    const registries = { host: a }
    trial.config.give({ kubelet: a, cloud: c, registries }, { delivery: 'rendered' })
    await trial.settle()
    expect(await isThere(nodePaths.cloudCA)).toBe(false)
    expect(trial.states()).toEqual([
      'kubelet-client-ca Rendered',
      'cloud-ca Rendered: MachineConfigs deliver it, and the config of this node contains another version',
      'registry-ca/host Current',
      'registry-pull-secret NotGiven',
    ])
    expect(trial.view.delivery).toBe('rendered')
  })

  it('reports since when a file has its content although MachineConfigs write it, also after a restart', async () => {
    const [a, b] = [await bundle('a'), await bundle('a', 'b')]
    // Written by the lane, once.
    trial.config.give({ kubelet: a })
    await trial.settle()
    expect(trial.lines()[0]).toMatchObject({ writtenAt: '2026-01-01T00:00:00Z' })
    trial.config.give({ kubelet: b }, { delivery: 'rendered' })
    trial.clock.jump(3_600_000)
    await put(nodePaths.kubeletCA, b)
    trial.changed(nodePaths.kubeletCA)
    await trial.settle()
    const [line] = trial.lines()
    expect(line).toMatchObject({ state: 'Rendered', writtenAt: '2026-01-01T01:00:00Z' })
    const next = await Trial.open({ files, config: trial.config })
    next.clock.jump(7_200_000)
    await next.settle()
    expect(next.lines()[0]).toMatchObject({ writtenAt: '2026-01-01T01:00:00Z' })
  })

  it('can be switched on and off at any time, and no file is ever missing', async () => {
    const [a, b] = [await bundle('a'), await bundle('b')]
    trial.config.give({ kubelet: a, cloud: a })
    await trial.settle()
    trial.config.give({ kubelet: b, cloud: b }, { delivery: 'rendered' })
    await trial.settle()
    expect([await text(nodePaths.kubeletCA), await text(nodePaths.cloudCA)]).toEqual([a, a])
    trial.config.give({ kubelet: b }, { delivery: 'rendered' })
    await trial.settle()
    expect(await text(nodePaths.cloudCA)).toBe(a)
    trial.config.give({ kubelet: b, cloud: b })
    await trial.settle()
    expect([await text(nodePaths.kubeletCA), await text(nodePaths.cloudCA)]).toEqual([b, b])
  })
})

describe('a ControllerConfig', () => {
  it('without a digests annotation is read once for each generation', async () => {
    const withoutDigests = { hasDigests: false }
    trial.config.give({ kubelet: await bundle('a') }, withoutDigests)
    await trial.settle()
    await trial.settle()
    expect([trial.config.reads, trial.written()]).toEqual([1, ['kubelet-client-ca']])
    trial.config.give({ kubelet: await bundle('a') }, withoutDigests)
    await trial.settle()
    await trial.settle()
    expect([trial.config.reads, trial.written()]).toEqual([2, ['kubelet-client-ca']])
    trial.config.give({ kubelet: await bundle('b') }, withoutDigests)
    await trial.settle()
    expect([trial.config.reads, trial.written()]).toEqual([
      3,
      ['kubelet-client-ca', 'kubelet-client-ca'],
    ])
  })

  it('that is newer than the state of the watch counts as it was read, without a second read', async () => {
    trial.config.give({ kubelet: await bundle('a') })
    await trial.settle()
    trial.config.give({ kubelet: await bundle('a', 'b') })
    trial.config.holdWatch()
    trial.config.give({ kubelet: await bundle('a', 'b', 'c') })
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('a', 'b', 'c'))
    trial.config.releaseWatch()
    await trial.settle()
    expect(trial.config.reads).toBe(2)
    expect(trial.reports.at(-1)?.observed.version).toBe(trial.config.version)
  })

  it('that changes while it is read is not delivered in its old state', async () => {
    const [a, b] = [await bundle('a'), await bundle('b')]
    trial.config.give({ kubelet: a, cloud: a })
    let catchingUp = Promise.resolve()
    trial.config.duringRead = () => {
      trial.config.duringRead = () => {}
      queueMicrotask(() => {
        trial.config.give({ kubelet: b, cloud: a })
        catchingUp = trial.view.catchUp(new AbortController().signal)
      })
    }
    await trial.once()
    await catchingUp
    expect(trial.states().slice(0, 2)).toEqual([
      'kubelet-client-ca Lagging: waiting to be written',
      'cloud-ca Current',
    ])
    await trial.settle()
    expect(await text(nodePaths.kubeletCA)).toBe(b)
    expect(trial.written()).toEqual(['cloud-ca', 'kubelet-client-ca'])
  })

  it('that cannot be read is requested with back-off, and then delivered', async () => {
    trial.config.give({ kubelet: await bundle('a') })
    trial.config.failure = new Error('the server is down')
    const waits = [await trial.once(), await trial.once(), await trial.once(), await trial.once()]
    expect(waits.map((ms) => Math.floor(Math.log2(Number(ms) / 1000)))).toEqual([0, 1, 2, 3])
    trial.config.failure = undefined
    await trial.settle()
    expect(trial.states()[0]).toBe('kubelet-client-ca Current')
  })
})

describe('a fleet', () => {
  it('spreads its reads, and reads a burst of changes once', async () => {
    trial = await Trial.open({ files, jitterMs: 10_000 })
    trial.config.give({ kubelet: await bundle('a') })
    // Nodes that start are behind already, so their reads are spread over a fifth of the period.
    expect(await trial.once()).toBeLessThan(2000)
    await trial.settle()
    expect(trial.config.reads).toBe(1)
    trial.config.give({ kubelet: await bundle('b') })
    const wait = Number(await trial.once())
    expect(wait).toBeGreaterThan(0)
    trial.config.give({ kubelet: await bundle('c') })
    await trial.clock.advance(wait / 2)
    expect(await trial.once()).toBeCloseTo(wait / 2)
    await trial.settle()
    expect(trial.config.reads).toBe(2)
    expect(await text(nodePaths.kubeletCA)).toBe(await bundle('c'))
  })

  it('of one node repairs its disk at once, and backs off when another writer keeps changing it', async () => {
    trial = await Trial.open({ files, jitterMs: 10_000 })
    trial.config.give({ kubelet: await bundle('a') })
    await trial.settle()
    const spoil = async (): Promise<number | 'settled'> => {
      await put(nodePaths.kubeletCA, 'something else')
      trial.changed(nodePaths.kubeletCA)
      return trial.once()
    }
    expect(await spoil()).toBe('settled')
    expect(await spoil()).toBe(1000)
    await trial.settle()
    expect(await spoil()).toBe(2000)
  })
})

describe('the next daemon', () => {
  it.each(['', '{"files":', '[]', '{"files":{"/x":1},"registries":{},"notes":{}}'])(
    'takes ownership of current files after a ledger of %j',
    async (damaged) => {
      const given = {
        kubelet: await bundle('a'),
        cloud: await bundle('c'),
        registries: { host: await bundle('d') },
      }
      trial.config.give(given)
      await trial.settle()
      await put(nodePaths.trust, damaged)
      const next = await Trial.open({ files, config: trial.config })
      await next.settle()
      expect(next.written()).toEqual([])
      expect(next.states()).toEqual(trial.states())
      next.config.give({})
      await next.settle()
      expect([await isThere(nodePaths.cloudCA), await files.list('/etc/docker/certs.d')]).toEqual([
        false,
        [],
      ])
    },
  )

  it('stores no secret in its ledger, and only root can read it', async () => {
    trial.config.give({ pullSecret: secret })
    await trial.settle()
    expect(await text(nodePaths.trust)).not.toContain('Y2FuYXJ5')
    expect(await files.stat(nodePaths.trust)).toMatchObject({ mode: 0o600 })
  })
})

describe('the view for the config lane', () => {
  it('contains the desired digests of the files that configs may contain, from the start', async () => {
    expect(trial.view.at(nodePaths.kubeletCA)).toEqual({})
    const kubelet = await bundle('a')
    trial.config.give({ kubelet })
    let changes = 0
    trial.view.subscribe(() => changes++)
    await trial.settle()
    expect(trial.view.at(nodePaths.kubeletCA)).toEqual({ desired: trial.lines()[0]?.wantedDigest })
    expect(trial.view.at(nodePaths.cloudCA)).toBeUndefined()
    expect(changes).toBe(1)
    trial.config.holdWatch()
    trial.config.give({ kubelet, cloud: kubelet }, { delivery: 'rendered' })
    expect(trial.view.delivery).toBe('direct')
    await trial.view.catchUp(new AbortController().signal)
    expect(trial.view.delivery).toBe('rendered')
    expect(trial.view.at(nodePaths.cloudCA)).toEqual(trial.view.at(nodePaths.kubeletCA))
    trial.config.remove()
    await trial.view.catchUp(new AbortController().signal)
    expect(trial.view.at(nodePaths.kubeletCA)).toEqual(trial.view.at(nodePaths.cloudCA))
  })

  it('leaves all files to configs if there never was a ControllerConfig', async () => {
    await trial.once()
    expect(trial.view.at(nodePaths.kubeletCA)).toBeUndefined()
  })
})
