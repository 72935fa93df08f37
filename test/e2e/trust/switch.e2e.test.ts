import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import type { Config } from '@machinist/ignition/spec/config'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { certificatesHeld, inputDegraded } from '../../../src/api/conditions.ts'
import type { MachineConfigPool } from '../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../src/api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../src/api/trust/items.ts'
import { cas } from '../../integration/daemon/trust/delivery-cluster.ts'
import { paths, Witness } from '../../integration/trust/switch-witness.ts'
import { WholeLane } from '../../integration/trust/whole-lane.ts'

/*
 * A cluster that switches its certificate delivery again and again, while CAs rotate, pools are paused and nodes are off. In
 * any order of events, no CA file is ever missing or empty, and none ever loses a CA that the cluster still specifies.
 */
let lane: WholeLane
/** The CAs that the cluster specifies now, one letter each. */
let given = 'ab'
const witnesses: Witness[] = []
const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }

beforeAll(async () => {
  lane = await WholeLane.open()
  const { client } = lane
  const network = 'spec: { serviceNetwork: [10.96.0.0/12] }'
  const certificateDelivery = 'rendered'
  await client.create(configMaps, { metadata: facts, data: { network, certificateDelivery } })
  await client.create(configMaps, { metadata: { namespace: 'kube-system', name: 'bootstrap' } })
  await rotate(given)
  await client.create(configMaps, {
    metadata: { namespace: 'kube-system', name: 'root-ca' },
    data: { 'ca.crt': await cas('z') },
  })
  lane.operate()
  await lane.control()
  for (const name of ['master-0', 'worker-0']) {
    const witness = new Witness(name, () => given)
    witnesses.push(witness)
    const node = await lane.join(name, { role: name.split('-')[0]!, host: witness.host })
    node.on()
  }
  await settled()
})
afterAll(() => lane[Symbol.asyncDispose]())

/** Changes both sources. */
async function rotate(letters: string): Promise<void> {
  given = letters
  await give(await cas(letters), await cas(letters))
}

async function give(kubelet: string, cloud: string): Promise<void> {
  for (const [name, key, pem] of [
    ['kube-apiserver-client-ca', 'ca-bundle.crt', kubelet],
    ['kube-cloud-config', 'ca-bundle.pem', cloud],
  ] as const) {
    const object = {
      metadata: { namespace: 'openshift-config-managed', name },
      data: { [key]: pem },
    }
    const isThere = await lane.find(configMaps, object.metadata)
    await (isThere
      ? lane.client.replace(configMaps, object)
      : lane.client.create(configMaps, object))
  }
}

let delivery: CertificateDelivery = 'rendered'
async function deliver(certificateDelivery: CertificateDelivery): Promise<void> {
  delivery = certificateDelivery
  await lane.client.patch(configMaps, facts, mergePatch({ data: { certificateDelivery } }))
}

async function pause(paused: boolean, name = 'worker'): Promise<void> {
  await lane.client.patch(machineConfigPools, { name }, mergePatch({ spec: { paused } }))
}

const pool = (name: string): Promise<MachineConfigPool | undefined> =>
  lane.find(machineConfigPools, { name })

function isUpdated(found: MachineConfigPool | undefined, machines: number): boolean {
  const { spec, status } = found ?? {}
  const desired = spec?.configuration?.name
  return (
    desired !== undefined &&
    status?.configuration?.name === desired &&
    status.updatedMachineCount === machines &&
    status.conditions?.some(({ type, status: is }) => type === 'Updated' && is === 'True') === true
  )
}

/** Whether the pool's config contains these CAs exactly if the delivery is rendered. */
async function isAsDelivered(found: MachineConfigPool | undefined): Promise<boolean> {
  const name = found?.spec.configuration?.name
  const config = name === undefined ? undefined : await lane.find(machineConfigs, { name })
  const { storage } = (config?.spec?.config ?? {}) as Partial<Config>
  const texts = (storage?.files ?? []).flatMap(({ path, contents }) =>
    paths.some((each) => each === path) ? [decodeURIComponent(contents?.source ?? '')] : [],
  )
  if (delivery === 'direct') return config !== undefined && texts.length === 0
  const pem = (await cas(given)).trim()
  return texts.length === paths.length && texts.every((text) => text.includes(pem))
}

const allHold = async (nodes: readonly Witness[], letters: string): Promise<boolean> => {
  const found = nodes.flatMap((node) => paths.map((path) => node.holds(path)))
  return (await Promise.all(found)).every((each) => each === letters)
}

/** Checks the final state of all nodes and reports failures on the way. */
async function settled(): Promise<string[]> {
  await lane.until(`all nodes have ${given}`, () => allHold(witnesses, given))
  await lane.until('the pools are updated', async () => {
    const [master, worker] = await Promise.all(['master', 'worker'].map(pool))
    if (!isUpdated(master, 1) || !isUpdated(worker, 1)) return false
    return (await isAsDelivered(master)) && (await isAsDelivered(worker))
  })
  await lane.allCurrent()
  return witnesses.flatMap(({ faults }) => faults)
}

/** Lets the time of so many polls pass. */
async function moments(count: number): Promise<void> {
  let left = count
  await lane.until('some time has passed', () => left-- <= 0)
}

const [alphabet, workers] = ['abcdefghijklmnopqrstuvwxy', (): Witness[] => witnesses.slice(1)]
/** Adds a new CA, and removes the oldest one if there are many. */
async function rotateOn(): Promise<void> {
  const next = alphabet[alphabet.indexOf(given.at(-1)!) + 1]!
  await rotate(given.length > 3 ? given.slice(1) + next : given + next)
}

describe('a paused pool', () => {
  it('keeps its CAs with rendered delivery, and gets new ones with direct delivery', async () => {
    await pause(true)
    const before = given
    await rotateOn()
    await lane.until('the masters have the CA', () => allHold(witnesses.slice(0, 1), given))
    await lane.until('the pool reports that the workers wait', async () => {
      const { conditions } = (await pool('worker'))!.status!
      return conditions!.some(({ type, status }) => type === certificatesHeld && status === 'True')
    })
    expect(await allHold(workers(), before)).toBe(true)

    await deliver('direct')
    await lane.until('all nodes have the CA', () => allHold(witnesses, given))
    await rotateOn()
    await lane.until('all nodes have the next CA', () => allHold(witnesses, given))
    const { spec, status } = (await pool('worker'))!
    expect(spec.configuration?.name).not.toBe(status?.configuration?.name)

    await deliver('rendered')
    await lane.until('the masters are updated', async () => isUpdated(await pool('master'), 1))
    const kept = given
    await rotateOn()
    await lane.until('the masters have the CA', () => allHold(witnesses.slice(0, 1), given))
    expect(await allHold(workers(), kept)).toBe(true)
    await pause(false)
    expect(await settled()).toEqual([])
  })
})

describe('an invalid source', () => {
  it('removes nothing from nodes with rendered delivery, and delays no other source', async () => {
    const [kubelet, cloud] = paths
    const before = given
    const next = given + alphabet[alphabet.indexOf(given.at(-1)!) + 1]!
    for (const [bad, reason] of [
      ['hello', 'NotPEM'],
      ['', 'Empty'],
      [(await cas(given)).slice(0, -100), 'BrokenPEM'],
    ] as const) {
      await give(bad, await cas(next))
      await lane.until(`the reason is ${reason}`, async () => {
        const found = await lane.find(controllerConfigs, { name: 'machine-config-controller' })
        const type = inputDegraded('kubelet-client-ca')
        return found?.status?.conditions?.find((each) => each.type === type)?.reason === reason
      })
    }
    await lane.until('the other CA has arrived', async () => {
      const found = await Promise.all(witnesses.map((node) => node.holds(cloud)))
      return found.every((letters) => letters === next)
    })
    const kept = await Promise.all(witnesses.map((node) => node.holds(kubelet)))
    expect(kept).toEqual([before, before])
    await rotate(next)
    expect(await settled()).toEqual([])
  })
})

describe('a node that is off', () => {
  it('catches up when it is on again', async () => {
    const node = lane.nodes[1]!
    await node.off()
    for (const next of ['direct', 'rendered'] as const) {
      await deliver(next)
      await rotateOn()
      await lane.until('the master has the CA', () => allHold(witnesses.slice(0, 1), given))
    }
    await deliver('direct')
    node.on()
    expect(await settled()).toEqual([])
  })
})

describe('any order', () => {
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    direct: () => deliver('direct'),
    rendered: () => deliver('rendered'),
    rotate: rotateOn,
    pause: () => pause(true),
    resume: () => pause(false),
    off: () => lane.nodes[1]!.off(),
    on: async () => lane.nodes[1]!.isOn || lane.nodes[1]!.on(),
  }
  it.each([1, 2])('%i', async (seed) => {
    const random = seededRandom(seed)
    const pick = <T>(some: readonly T[]): T => some[Math.floor(random.next() * some.length)]!
    for (let step = 0; step < 7; step++) {
      await operations[pick(Object.keys(operations))]!()
      // The next operation starts before, during or after the effects of this one.
      await moments(pick([0, 0, 2, 5, 15]))
    }
    await pause(false)
    await operations['on']!()
    expect(await settled()).toEqual([])
  })
})

describe('the witness', () => {
  it('reports faults', async () => {
    const path = paths[0]
    const witness = new Witness('another', () => 'ab')
    const { files } = witness.host
    const put = async (text: string): Promise<void> =>
      files.write(path, { content: Buffer.from(text), mode: 0o644, uid: 0, gid: 0 })
    await files.makeDirectory('/etc/kubernetes', { mode: 0o755, uid: 0, gid: 0 })
    await put(await cas('abc'))
    // The cluster no longer specifies this CA.
    await put(await cas('ab'))
    expect(witness.faults).toEqual([])
    await put(await cas('b'))
    await put('')
    await put(await cas('ab'))
    await files.remove(path)
    const expected = 'the cluster specifies ab'
    expect(witness.faults).toEqual([
      `${path}: ab → b by write, ${expected}`,
      `${path}: b → ! by write, ${expected}`,
      `${path}: ab → - by remove, ${expected}`,
    ])
    expect(witness.seen.get(path)).toEqual(['abc', 'ab', 'b', '!', 'ab', '-'])
  })
})
