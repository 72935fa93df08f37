import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { timestamp } from '@machinist/core/timestamp'
import { isAlreadyExists } from '@machinist/kube/failure'
import { configMaps, namespaces } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority as issueAuthority, validFor } from '@machinist/pki/issue'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { until } from '@machinist/testing/until'
import { RefusedInput } from '../../../../src/daemon/trust/items/item.ts'
import type { KubeletRestartTurn } from '../../../../src/daemon/trust/api-server-ca/kubelet-restart-turn.ts'
import type { Api } from '../cluster/api.ts'
import { startApi } from '../cluster/api.ts'
import { bootstrap, kubeconfig, KubeletNode, own, token } from './kubelet-node.ts'

const [a, b, c] = ['signer-a', 'signer-b', 'signer-c'].map(
  (name) => createAuthority(name).certificate,
)
const [A, B, C] = [a!, b!, c!]

const data = { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' }

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.client.create(namespaces, { metadata: { name: data.namespace } })
})
afterAll(() => api.stop())

/** Names of operators are longer than openssl allows. */
async function longNamed(name: string): Promise<string> {
  const validity = validFor(systemClock, 3_600_000)
  return (await issueAuthority({ name, validity })).certificate
}

async function give(pem: string): Promise<void> {
  const binaryData = { 'ca-bundle.crt': Buffer.from(pem).toString('base64') }
  try {
    await api.client.create(configMaps, { metadata: data, binaryData })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await api.client.patch(configMaps, data, mergePatch({ binaryData }))
  }
}

let node: KubeletNode
beforeEach(async () => {
  node = await new KubeletNode(api.client).set(A)
})

describe('a new CA of the API server', () => {
  it('is written to both kubeconfigs byte by byte, then the kubelet is restarted once', async () => {
    await give(A + B)
    const daemon = await node.daemon()
    const observed = await node.deliver(daemon)
    expect(observed.pending).toBe(
      'the kubelet must be restarted to load a new CA: waiting for its turn',
    )
    const [before, added] = observed.holdings[0]!.certificates
    expect(before).not.toHaveProperty('loaded')
    expect(added).toMatchObject({ subject: 'CN=signer-b', loaded: false })
    expect(await node.read(bootstrap)).toBe(kubeconfig(A + B))
    expect(await node.read(own)).toBe(kubeconfig(A + B))
    const modes = await Promise.all([bootstrap, own].map((path) => node.host.files.stat(path)))
    expect(modes).toMatchObject([{ mode: 0o600 }, { mode: 0o640 }])

    const done = await node.inEffect(daemon)
    expect(node.host.actions).toEqual([{ type: 'restart', unit: 'kubelet.service' }])
    for (const each of done.holdings[0]!.certificates) expect(each).not.toHaveProperty('loaded')
    expect(done).toMatchObject({
      digest: await daemon.sourceDigest(node.stop.signal),
      loadedAt: '2026-01-01T00:00:05Z',
      holdings: [
        {
          name: 'api-server-ca',
          paths: ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig'],
          certificates: [{ subject: 'CN=signer-a' }, { subject: 'CN=signer-b' }],
          writtenAt: '2026-01-01T00:00:00Z',
        },
      ],
    })
    expect(node.changes).toBe(1)

    expect(await daemon.apply({ desired: '', signal: node.stop.signal })).toEqual({ written: [] })
    await (await node.daemon()).observe()
    await node.clock.advance(600_000)
    expect(node.restarts).toBe(1)
  })

  it.each([
    ['in another order', B + A],
    ['with other white space', `\n# a\n${A}\n\n# b\n${B.replaceAll('\n', '\r\n')}`],
    ['twice', A + B + A],
  ])('that is already there %s is not written, and causes no restart', async (_how, pem) => {
    await node.set(A + B)
    await give(pem)
    const daemon = await node.daemon()
    expect(await daemon.apply({ desired: '', signal: node.stop.signal })).toEqual({ written: [] })
    expect(await daemon.observe()).toMatchObject({
      digest: await daemon.sourceDigest(node.stop.signal),
    })
    await node.clock.advance(600_000)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A + B), 0])
  })

  it('that is removed causes no restart', async () => {
    await node.set(A + B)
    await give(B)
    const observed = await node.deliver(await node.daemon())
    expect(observed).not.toHaveProperty('pending')
    await node.clock.advance(600_000)
    expect([await node.read(bootstrap), await node.read(own), node.restarts]).toEqual([
      kubeconfig(B),
      kubeconfig(B),
      0,
    ])
  })

  it.each([
    ['kube-apiserver-localhost-signer', 0],
    ['openshift-kube-apiserver-operator_localhost-recovery-serving-signer@1700000000', 0],
    ['kube-apiserver-lb-signer', 0],
    ['kube-apiserver-service-network-signer', 1],
    ['openshift-kube-apiserver-operator_loadbalancer-serving-signer@1700000000', 1],
  ])('of %s causes %i restarts', async (name, restarts) => {
    await give(A + (await longNamed(name)))
    const daemon = await node.daemon()
    const observed = await node.deliver(daemon)
    expect(observed.remark).toBe(
      restarts === 0
        ? 'a new CA of a local signer: the kubelet loads it at its next start'
        : undefined,
    )
    await node.inEffect(daemon)
    expect(node.restarts).toBe(restarts)
  })

  it('next to deferred ones causes a restart', async () => {
    await give(A + createAuthority('kube-apiserver-lb-signer').certificate + B)
    const daemon = await node.daemon()
    await node.deliver(daemon)
    await node.inEffect(daemon)
    expect(node.restarts).toBe(1)
  })

  it('and another one right after it cause one restart, with the last state', async () => {
    const free = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await free.promise
      return await work()
    })
    await give(A + B)
    await node.deliver(daemon)
    await give(A + B + C)
    await node.deliver(daemon)
    free.resolve()
    await node.inEffect(daemon)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A + B + C), 1])
  })

  it('that is removed before the restart causes none', async () => {
    const free = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await free.promise
      return await work()
    })
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await give(A)
    const observed = await node.deliver(daemon)
    expect([observed.pending, observed.restartRequestedAt]).toEqual([undefined, undefined])
    free.resolve()
    await until('the turn is over', () => node.changes === 1)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A), 0])
  })

  it('that was removed and comes back counts as new, because the kubelet may have been restarted meanwhile', async () => {
    const daemon = await node.daemon()
    for (const pem of [A + B, A]) {
      await give(pem)
      await node.deliver(daemon)
      await node.inEffect(daemon)
    }
    expect(node.restarts).toBe(1)
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.inEffect(daemon)
    expect(node.restarts).toBe(2)
  })

  it('is in use by a kubelet that another party restarted after the write', async () => {
    const waiting: KubeletRestartTurn = () => new Promise(() => {})
    await give(A + B)
    const daemon = await node.daemon(waiting)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await node.clock.advance(60_000)
    expect(node.changes).toBe(1)
    const observed = await daemon.observe()
    expect([observed.pending, observed.restartRequestedAt]).toEqual([undefined, undefined])
    expect(observed.loadedAt).toBe(timestamp(node.clock.now()))
    expect(node.restarts).toBe(1)
    // The next daemon reports the same.
    expect(await (await node.daemon(waiting)).observe()).not.toHaveProperty('pending')
  })

  it('is not in use as long as a kubelet that was restarted is not healthy', async () => {
    const waiting: KubeletRestartTurn = () => new Promise(() => {})
    await give(A + B)
    expect((await node.deliver(await node.daemon(waiting))).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await node.host.units.setHealth('kubelet.service', false)
    const next = await node.daemon(waiting)
    expect((await next.observe()).pending).toBeDefined()
    await node.host.units.setHealth('kubelet.service', true)
    expect(await next.observe()).not.toHaveProperty('pending')
  })

  it('needs no restart when the turn comes after another party restarted the kubelet', async () => {
    const free = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await free.promise
      return await work()
    })
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    free.resolve()
    await until('the turn is over', () => node.changes === 1)
    expect((await daemon.observe()).pending).toBe(undefined)
    expect(node.restarts).toBe(1)
  })

  it('is not in use by a kubelet that was restarted before the write', async () => {
    const waiting: KubeletRestartTurn = () => new Promise(() => {})
    await give(A + B)
    const daemon = await node.daemon(waiting)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await give(A + B + C)
    expect((await node.deliver(daemon)).pending).toBe(
      'the kubelet must be restarted to load a new CA: waiting for its turn',
    )
    expect((await daemon.observe()).pending).toBeDefined()
  })

  it('is not in use by a kubelet that was restarted while it was gone again', async () => {
    const waiting: KubeletRestartTurn = () => new Promise(() => {})
    const daemon = await node.daemon(waiting)
    for (const pem of [A + B, A]) {
      await give(pem)
      await node.deliver(daemon)
    }
    await node.host.units.restart('kubelet.service')
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    expect((await daemon.observe()).pending).toBeDefined()
  })

  it('needs no restart after a reboot, which was one', async () => {
    await give(A + B)
    const waiting: KubeletRestartTurn = () => new Promise(() => {})
    expect((await node.deliver(await node.daemon(waiting))).pending).toBeDefined()
    await node.host.boot()
    expect(await (await node.daemon()).observe()).not.toHaveProperty('pending')
    expect(node.restarts).toBe(0)
  })
})

describe('a kubelet', () => {
  it('that stays unhealthy is reported, returns its turn, and is not restarted again when it recovers', async () => {
    let holds = 0
    const turn: KubeletRestartTurn = async (_signal, work) => {
      holds++
      const result = await work()
      holds--
      return result
    }
    await give(A + B)
    const daemon = await node.daemon(turn)
    await node.host.units.setHealth('kubelet.service', false)
    await node.deliver(daemon)
    await node.clock.advance(299_000)
    expect([holds, node.changes]).toEqual([1, 0])
    await node.clock.advance(10_000)
    expect([holds, node.changes, node.restarts]).toEqual([0, 1, 1])
    expect((await daemon.observe()).failure).toBe(
      'the kubelet must be restarted to load a new CA: kubelet.service was restarted and is not healthy after 5 minutes: the unit is not running',
    )
    await node.host.units.setHealth('kubelet.service', true)
    await node.clock.advance(120_000)
    expect(await daemon.observe()).not.toHaveProperty('failure')
    expect([holds, node.restarts]).toEqual([0, 1])
  })

  it('that is refused a turn is a failure with the reason, and is retried with back-off', async () => {
    await give(A + B)
    const daemon = await node.daemon(async () => {
      throw new Error('nodetrusts.machinist.dev "n" is forbidden')
    })
    await node.deliver(daemon)
    await node.clock.advance(1000)
    const observed = await daemon.observe()
    expect(observed.failure).toBe(
      'the kubelet must be restarted to load a new CA: nodetrusts.machinist.dev "n" is forbidden',
    )
    expect(observed).not.toHaveProperty('restartRequestedAt')
    expect(node.changes).toBe(1)
  })

  it('that gets no turn is a failure after an hour, and stays in the queue', async () => {
    await give(A + B)
    const free = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await free.promise
      return await work()
    })
    const first = await node.deliver(daemon)
    await node.clock.advance(3_599_000)
    expect(await daemon.observe()).toEqual(first)
    await node.clock.advance(1000)
    expect(await daemon.observe()).toMatchObject({
      failure:
        'the kubelet must be restarted to load a new CA: the operator has granted no turn since 2026-01-01T00:00:00Z: check that machine-config-operator runs',
      restartRequestedAt: '2026-01-01T00:00:00Z',
    })
    // One recheck after a minute for a restart by another process, and one change after an hour.
    expect(node.changes).toBe(2)
    free.resolve()
    await node.inEffect(daemon)
    expect(await daemon.observe()).not.toHaveProperty('failure')
    expect(node.restarts).toBe(1)
  })

  it('requests a turn while it needs one, and until a restart in progress is over', async () => {
    await give(A + B)
    const begin = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await begin.promise
      return await work()
    })
    expect(await node.deliver(daemon)).toMatchObject({
      restartRequestedAt: '2026-01-01T00:00:00Z',
    })
    await node.host.units.setHealth('kubelet.service', false)
    begin.resolve()
    await until('it is restarted', () => node.restarts === 1)
    await give(A)
    expect(await node.deliver(daemon)).toMatchObject({
      restartRequestedAt: '2026-01-01T00:00:00Z',
    })
    await node.host.units.setHealth('kubelet.service', true)
    await node.clock.advance(20_000)
    expect(await daemon.observe()).not.toHaveProperty('restartRequestedAt')
  })

  it.each([
    ['does not have', () => node.host.files.remove('/usr/lib/systemd/system/kubelet.service')],
    ['masks', () => node.host.files.link('/etc/systemd/system/kubelet.service', '/dev/null')],
  ])('that this node %s is not restarted', async (_how, prepare) => {
    await node.host.files.remove('/etc/systemd/system/kubelet.service')
    await prepare()
    await give(A + B)
    const observed = await node.deliver(await node.daemon())
    expect(observed).toMatchObject({
      remark: 'this node has no kubelet.service to restart',
    })
    expect(observed).not.toHaveProperty('pending')
    await node.clock.advance(600_000)
    expect([await node.read(own), node.host.actions]).toEqual([kubeconfig(A + B), []])
  })
})

describe('a kubeconfig', () => {
  it('that refers to a CA file, or does not exist, is left alone without a failure', async () => {
    await give(B)
    await node.put(
      own,
      'clusters:\n- cluster:\n    certificate-authority: /etc/kubernetes/ca.crt\n',
    )
    await node.host.files.remove(bootstrap)
    const daemon = await node.daemon()
    expect(await daemon.apply({ desired: '', signal: node.stop.signal })).toEqual({ written: [] })
    expect(await daemon.observe()).toMatchObject({
      inapplicable:
        '/etc/kubernetes/kubeconfig is not a file, /var/lib/kubelet/kubeconfig refers to a CA file',
      holdings: [{ name: 'api-server-ca', paths: [], certificates: [] }],
    })
  })

  it('that cannot be parsed does not keep the other one from being updated, and is not quoted', async () => {
    await give(A + B)
    await node.put(bootstrap, `clusters: [${token}`)
    const daemon = await node.daemon()
    const applied = await daemon.apply({ desired: '', signal: node.stop.signal })
    const why =
      '/etc/kubernetes/kubeconfig cannot be read: "clusters" is not a list, one entry per line. It must be JSON, or YAML with one "key: value" per line'
    expect(applied).toEqual({
      written: ['api-server-ca'],
      failures: new Map([['api-server-ca', why]]),
    })
    expect(await node.read(own)).toBe(kubeconfig(A + B))
    const observed = await daemon.observe()
    expect(observed.holdings[0]).toMatchObject({ problem: why })
    expect(observed).not.toHaveProperty('digest')
    expect(JSON.stringify([observed, [...applied.failures!]])).not.toContain(token)
    await node.inEffect(daemon)
  })
})

describe('the source', () => {
  it.each([
    ['nothing', ''],
    ['no certificate', 'hello'],
    ['half of one', A.slice(0, 200)],
  ])('with %s changes nothing', async (_what, pem) => {
    await give(pem)
    const daemon = await node.daemon()
    const applied = daemon.apply({ desired: '', signal: node.stop.signal })
    await expect(applied).rejects.toThrow(RefusedInput)
    await expect(applied).rejects.toThrow(
      'ConfigMap openshift-machine-config-operator/kubeconfig-data contains no certificate',
    )
    expect(await daemon.sourceDigest(node.stop.signal)).toBeUndefined()
    expect(await node.read(own)).toBe(kubeconfig(A))
  })

  it('with an invalid certificate among valid ones delivers the valid ones', async () => {
    await give(A + B.slice(0, 300) + '\n' + C)
    await node.deliver(await node.daemon())
    expect(await node.read(own)).toBe(kubeconfig(A + C))
  })

  it('does not occur in reports or in the ledger', async () => {
    await give(A + B)
    const daemon = await node.daemon()
    await node.deliver(daemon)
    const observed = await node.inEffect(daemon)
    const ledger = await node.read('/etc/machine-config-daemon/trust.json')
    expect([JSON.stringify(observed), ledger].join('')).not.toContain(token)
  })
})

describe('an API server that does not respond', () => {
  it('is a failure that names the requested object', async () => {
    const daemon = await node.daemon()
    const gone = AbortSignal.abort()
    const error: unknown = await daemon.sourceDigest(gone).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toContain(
      'cannot read ConfigMap openshift-machine-config-operator/kubeconfig-data',
    )
  })
})
