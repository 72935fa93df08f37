import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { timestamp } from '@machinist/core/timestamp'
import { Refused } from '../../../../src/daemon/trust/item.ts'
import type { Turn } from '../../../../src/daemon/trust/kubelet-restart-turn.ts'
import { isAlreadyExists } from '@machinist/kube/failure'
import { configMaps, namespaces } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority as issueAuthority, validFor } from '@machinist/pki/issue'
import { createAuthority } from '@machinist/testing/tls'
import { until } from '@machinist/testing/until'
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

/** Names as operators make them are longer than openssl would have them. */
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
  it('comes into both kubeconfigs, to the byte, then the kubelet is restarted once', async () => {
    await give(A + B)
    const daemon = await node.daemon()
    const look = await node.deliver(daemon)
    expect(look.pending).toBe(
      'the kubelet has to be restarted to take over a new CA: it waits for its turn',
    )
    expect(await node.read(bootstrap)).toBe(kubeconfig(A + B))
    expect(await node.read(own)).toBe(kubeconfig(A + B))
    const modes = await Promise.all([bootstrap, own].map((path) => node.host.files.look(path)))
    expect(modes).toMatchObject([{ mode: 0o600 }, { mode: 0o640 }])

    const done = await node.inForce(daemon)
    expect(node.host.actions).toEqual([{ do: 'restart', unit: 'kubelet.service' }])
    expect(done).toMatchObject({
      digest: await daemon.given(node.stop.signal),
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

    expect(await daemon.apply({ wanted: '', signal: node.stop.signal })).toEqual({ written: [] })
    await (await node.daemon()).look()
    await node.clock.advance(600_000)
    expect(node.restarts).toBe(1)
  })

  it.each([
    ['in another order', B + A],
    ['with other white space', `\n# a\n${A}\n\n# b\n${B.replaceAll('\n', '\r\n')}`],
    ['twice', A + B + A],
  ])('that is there %s is not written, and restarts nothing', async (_how, pem) => {
    await node.set(A + B)
    await give(pem)
    const daemon = await node.daemon()
    expect(await daemon.apply({ wanted: '', signal: node.stop.signal })).toEqual({ written: [] })
    expect(await daemon.look()).toMatchObject({ digest: await daemon.given(node.stop.signal) })
    await node.clock.advance(600_000)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A + B), 0])
  })

  it('that goes is taken out, and restarts nothing', async () => {
    await node.set(A + B)
    await give(B)
    const look = await node.deliver(await node.daemon())
    expect(look).not.toHaveProperty('pending')
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
  ])('of %s means %i restarts', async (name, restarts) => {
    await give(A + (await longNamed(name)))
    const daemon = await node.daemon()
    const look = await node.deliver(daemon)
    expect(look.remark).toBe(
      restarts === 0
        ? 'a new CA of a local signer: the kubelet takes it over when it starts next'
        : undefined,
    )
    await node.inForce(daemon)
    expect(node.restarts).toBe(restarts)
  })

  it('beside those that can wait is waited for', async () => {
    await give(A + createAuthority('kube-apiserver-lb-signer').certificate + B)
    const daemon = await node.daemon()
    await node.deliver(daemon)
    await node.inForce(daemon)
    expect(node.restarts).toBe(1)
  })

  it('and another one right after it are one restart, with what came last', async () => {
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
    await node.inForce(daemon)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A + B + C), 1])
  })

  it('that goes again before anybody was restarted for it restarts nobody', async () => {
    const free = Promise.withResolvers<void>()
    const daemon = await node.daemon(async (_signal, work) => {
      await free.promise
      return await work()
    })
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await give(A)
    const look = await node.deliver(daemon)
    expect([look.pending, look.restartRequestedAt]).toEqual([undefined, undefined])
    free.resolve()
    await until('it has looked', () => node.changes === 1)
    expect([await node.read(own), node.restarts]).toEqual([kubeconfig(A), 0])
  })

  it('that went and comes back is new, because nobody knows when the kubelet was started', async () => {
    const daemon = await node.daemon()
    for (const pem of [A + B, A]) {
      await give(pem)
      await node.deliver(daemon)
      await node.inForce(daemon)
    }
    expect(node.restarts).toBe(1)
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.inForce(daemon)
    expect(node.restarts).toBe(2)
  })

  it('is in use by a kubelet that another party restarted after the write', async () => {
    const waiting: Turn = () => new Promise(() => {})
    await give(A + B)
    const daemon = await node.daemon(waiting)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await node.clock.advance(60_000)
    expect(node.changes).toBe(1)
    const look = await daemon.look()
    expect([look.pending, look.restartRequestedAt]).toEqual([undefined, undefined])
    expect(look.loadedAt).toBe(timestamp(node.clock.now()))
    expect(node.restarts).toBe(1)
    // The next daemon knows it, too.
    expect(await (await node.daemon(waiting)).look()).not.toHaveProperty('pending')
  })

  it('is not in use as long as a kubelet that was restarted is not healthy', async () => {
    const waiting: Turn = () => new Promise(() => {})
    await give(A + B)
    expect((await node.deliver(await node.daemon(waiting))).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await node.host.units.setHealth('kubelet.service', false)
    const next = await node.daemon(waiting)
    expect((await next.look()).pending).toBeDefined()
    await node.host.units.setHealth('kubelet.service', true)
    expect(await next.look()).not.toHaveProperty('pending')
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
    await until('it has looked', () => node.changes === 1)
    expect((await daemon.look()).pending).toBe(undefined)
    expect(node.restarts).toBe(1)
  })

  it('is not in use by a kubelet that was restarted before the write', async () => {
    const waiting: Turn = () => new Promise(() => {})
    await give(A + B)
    const daemon = await node.daemon(waiting)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    await node.host.units.restart('kubelet.service')
    await give(A + B + C)
    expect((await node.deliver(daemon)).pending).toBe(
      'the kubelet has to be restarted to take over a new CA: it waits for its turn',
    )
    expect((await daemon.look()).pending).toBeDefined()
  })

  it('is not in use by a kubelet that was restarted while it was gone again', async () => {
    const waiting: Turn = () => new Promise(() => {})
    const daemon = await node.daemon(waiting)
    for (const pem of [A + B, A]) {
      await give(pem)
      await node.deliver(daemon)
    }
    await node.host.units.restart('kubelet.service')
    await give(A + B)
    expect((await node.deliver(daemon)).pending).toBeDefined()
    expect((await daemon.look()).pending).toBeDefined()
  })

  it('needs no restart after a reboot, which was one', async () => {
    await give(A + B)
    const waiting: Turn = () => new Promise(() => {})
    expect((await node.deliver(await node.daemon(waiting))).pending).toBeDefined()
    await node.host.boot()
    expect(await (await node.daemon()).look()).not.toHaveProperty('pending')
    expect(node.restarts).toBe(0)
  })
})

describe('a kubelet', () => {
  it('that does not come back is told of, gives its turn away, and is not restarted when it has', async () => {
    let holds = 0
    const turn: Turn = async (_signal, work) => {
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
    expect((await daemon.look()).failure).toBe(
      'the kubelet has to be restarted to take over a new CA: kubelet.service was restarted and is not well after 5 minutes: the unit does not run',
    )
    await node.host.units.setHealth('kubelet.service', true)
    await node.clock.advance(120_000)
    expect(await daemon.look()).not.toHaveProperty('failure')
    expect([holds, node.restarts]).toEqual([0, 1])
  })

  it('that may not have a turn is a failure with the reason, and is tried again, later and later', async () => {
    await give(A + B)
    const daemon = await node.daemon(async () => {
      throw new Error('nodetrusts.machinist.dev "n" is forbidden')
    })
    await node.deliver(daemon)
    await node.clock.advance(1000)
    const look = await daemon.look()
    expect(look.failure).toBe(
      'the kubelet has to be restarted to take over a new CA: nodetrusts.machinist.dev "n" is forbidden',
    )
    expect(look).not.toHaveProperty('restartRequestedAt')
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
    expect(await daemon.look()).toEqual(first)
    await node.clock.advance(1000)
    expect(await daemon.look()).toMatchObject({
      failure:
        'the kubelet has to be restarted to take over a new CA: the operator has granted no turn since 2026-01-01T00:00:00Z: check that machine-config-operator runs',
      restartRequestedAt: '2026-01-01T00:00:00Z',
    })
    // After a minute, to see whether another party restarted the kubelet; and after an hour.
    expect(node.changes).toBe(2)
    free.resolve()
    await node.inForce(daemon)
    expect(await daemon.look()).not.toHaveProperty('failure')
    expect(node.restarts).toBe(1)
  })

  it('requests a turn while it needs one, and until a restart that has begun is over', async () => {
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
    expect(await daemon.look()).not.toHaveProperty('restartRequestedAt')
  })

  it.each([
    ['has not', () => node.host.files.remove('/usr/lib/systemd/system/kubelet.service')],
    ['masks', () => node.host.files.link('/etc/systemd/system/kubelet.service', '/dev/null')],
  ])('that this node %s is not restarted', async (_how, prepare) => {
    await node.host.files.remove('/etc/systemd/system/kubelet.service')
    await prepare()
    await give(A + B)
    const look = await node.deliver(await node.daemon())
    expect(look).toMatchObject({
      remark: 'there is no kubelet.service on this node that would have to be restarted',
    })
    expect(look).not.toHaveProperty('pending')
    await node.clock.advance(600_000)
    expect([await node.read(own), node.host.actions]).toEqual([kubeconfig(A + B), []])
  })
})

describe('a kubeconfig', () => {
  it('that names a file, or is not there, is left alone and is no trouble', async () => {
    await give(B)
    await node.put(
      own,
      'clusters:\n- cluster:\n    certificate-authority: /etc/kubernetes/ca.crt\n',
    )
    await node.host.files.remove(bootstrap)
    const daemon = await node.daemon()
    expect(await daemon.apply({ wanted: '', signal: node.stop.signal })).toEqual({ written: [] })
    expect(await daemon.look()).toMatchObject({
      inapplicable:
        '/etc/kubernetes/kubeconfig is no file, /var/lib/kubelet/kubeconfig names a file with the CAs',
      holdings: [{ name: 'api-server-ca', paths: [], certificates: [] }],
    })
  })

  it('that nobody understands does not keep the other one from its CAs, and is not quoted', async () => {
    await give(A + B)
    await node.put(bootstrap, `clusters: [${token}`)
    const daemon = await node.daemon()
    const applied = await daemon.apply({ wanted: '', signal: node.stop.signal })
    const why =
      '/etc/kubernetes/kubeconfig cannot be read: "clusters" is not a list, one entry per line. It must be JSON, or YAML with one "key: value" per line'
    expect(applied).toEqual({
      written: ['api-server-ca'],
      failures: new Map([['api-server-ca', why]]),
    })
    expect(await node.read(own)).toBe(kubeconfig(A + B))
    const look = await daemon.look()
    expect(look.holdings[0]).toMatchObject({ problem: why })
    expect(look).not.toHaveProperty('digest')
    expect(JSON.stringify([look, [...applied.failures!]])).not.toContain(token)
    await node.inForce(daemon)
  })
})

describe('what is given', () => {
  it.each([
    ['nothing', ''],
    ['no certificate', 'hello'],
    ['half of one', A.slice(0, 200)],
  ])('as %s changes nothing', async (_what, pem) => {
    await give(pem)
    const daemon = await node.daemon()
    const applied = daemon.apply({ wanted: '', signal: node.stop.signal })
    await expect(applied).rejects.toThrow(Refused)
    await expect(applied).rejects.toThrow(
      'there is no certificate in ConfigMap openshift-machine-config-operator/kubeconfig-data',
    )
    expect(await daemon.given(node.stop.signal)).toBeUndefined()
    expect(await node.read(own)).toBe(kubeconfig(A))
  })

  it('with a bad certificate among good ones gives the good ones', async () => {
    await give(A + B.slice(0, 300) + '\n' + C)
    await node.deliver(await node.daemon())
    expect(await node.read(own)).toBe(kubeconfig(A + C))
  })

  it('is nowhere to be seen but on the disk', async () => {
    await give(A + B)
    const daemon = await node.daemon()
    await node.deliver(daemon)
    const look = await node.inForce(daemon)
    const ledger = await node.read('/etc/machine-config-daemon/trust.json')
    expect([JSON.stringify(look), ledger].join('')).not.toContain(token)
  })
})

describe('an API server that does not answer', () => {
  it('is a failure that names what was asked for', async () => {
    const daemon = await node.daemon()
    const gone = AbortSignal.abort()
    const error: unknown = await daemon.given(gone).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toContain(
      'cannot read ConfigMap openshift-machine-config-operator/kubeconfig-data',
    )
  })
})
