import { describe, expect, it } from 'vitest'
import { images } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { kubeletConfigs } from '../../api/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client'
import type { Transport } from '@machinist/kube/transport'
import { generatedMachineConfig, isGenerated } from './machine-config.ts'
import { ownerOfKind, ownerReference } from '../../fleet/render/owner.ts'
import { ownerProblem, store } from './store.ts'

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const kubeletConfig = { metadata: { name: 'a', uid: 'uid-of-a' } }
const image = { metadata: { name: 'cluster', uid: 'uid-of-image' } }
const name = '99-worker-generated-kubelet'
const wanted = generatedMachineConfig(
  { name, role: 'worker', spec: {}, owner: ownerReference(kubeletConfigs, kubeletConfig) },
  { build: 'machinist-b' },
)
const stored = (metadata: Partial<MachineConfig['metadata']> = {}): MachineConfig => ({
  metadata: { name, ...metadata },
})

describe('a generated MachineConfig', () => {
  it('says for whom, by whom, and whom it goes away with', () => {
    expect(wanted.metadata).toEqual({
      name,
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      annotations: { [generatedBy]: 'machinist-b' },
      ownerReferences: [
        {
          apiVersion: 'machineconfiguration.openshift.io/v1',
          kind: 'KubeletConfig',
          name: 'a',
          uid: 'uid-of-a',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
    expect(isGenerated(wanted)).toBe(true)
    expect(ownerOfKind(wanted, 'KubeletConfig')).toBe('a')
    expect(ownerOfKind(wanted, 'ControllerConfig')).toBeUndefined()
  })

  it('may belong to somebody who does not look after it', () => {
    expect(ownerReference(images, image, { isController: false })).toEqual({
      apiVersion: 'config.openshift.io/v1',
      kind: 'Image',
      name: 'cluster',
      uid: 'uid-of-image',
    })
  })
})

describe('a MachineConfig that is there already', () => {
  const owner = ownerReference(kubeletConfigs, kubeletConfig)

  it.each([
    ['the same owner', stored({ ownerReferences: [owner] })],
    ['another object of the kind', stored({ ownerReferences: [{ ...owner, uid: 'other' }] })],
    [
      'a controller, and nobody looks after it',
      stored({ annotations: { [generatedBy]: '0.1.0' } }),
    ],
  ])('is ours: by %s', (_, one) => {
    expect(ownerProblem(one, wanted)).toBeUndefined()
  })

  it('is ours too where it only belongs to what ours belong to', () => {
    const byImage = ownerReference(images, image, { isController: false })
    const ofImage = generatedMachineConfig(
      { name, role: 'worker', spec: {}, owner: byImage },
      { build: 'machinist-b' },
    )
    expect(ownerProblem(stored({ ownerReferences: [byImage] }), ofImage)).toBeUndefined()
  })

  it('is not ours where a user made it', () => {
    const problem = {
      why: 'notOurs',
      message: `MachineConfig ${name} is not by a controller, and stays as it is; delete or rename it`,
    }
    expect(ownerProblem(stored(), wanted)).toEqual(problem)
    expect(ownerProblem(stored({ annotations: { [generatedBy]: '' } }), wanted)).toEqual(problem)
  })

  it('is not replaced where another controller made it, whoever owns it', () => {
    const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
    const one = stored({ ownerReferences: [owner], annotations: { [generatedBy]: commit } })
    expect(ownerProblem(one, wanted)).toEqual({
      why: 'otherMaker',
      message: `MachineConfig ${name} was made by MCO (controller build ${commit}), and Machinist does not replace it; see docs/install.md, "Clusters that MCO runs"`,
    })
  })

  it('is not ours where somebody else looks after it', () => {
    const theirs = { ...owner, kind: 'ControllerConfig', name: 'c' }
    const one = stored({ ownerReferences: [theirs], annotations: { [generatedBy]: 'machinist-b' } })
    expect(ownerProblem(one, wanted)).toEqual({
      why: 'notOurs',
      message: `MachineConfig ${name} belongs to ControllerConfig c; delete or rename it`,
    })
  })
})

describe('storing', () => {
  /** The method of each request that it takes to store the same again, or something else. */
  async function asked(now: MachineConfig, before: MachineConfig): Promise<string[]> {
    const methods: string[] = []
    const transport: Transport = {
      request({ method, body }) {
        methods.push(method)
        const answer = Buffer.from(JSON.stringify(body))
        return Promise.resolve({ code: 200, contentType: 'application/json', body: answer })
      },
      stream: () => {
        throw new Error('nothing is followed here')
      },
      close: () => undefined,
    }
    const client = new KubeClient({
      transport,
      clock: new VirtualClock(),
      random: { next: () => 0 },
    })
    await store(now, before, { client, signal: new AbortController().signal })
    return methods
  }
  const unowned = generatedMachineConfig(
    { name, role: 'worker', spec: {} },
    { build: 'machinist-b' },
  )

  it.each([
    ['with an owner', wanted],
    ['without one', unowned],
  ])('leaves alone what is as wanted, %s', async (_, one) => {
    expect(await asked(one, one)).toEqual([])
  })

  it('mends what is not', async () => {
    expect(await asked({ ...unowned, spec: { fips: true } }, unowned)).toEqual(['PUT'])
    expect(await asked(wanted, unowned)).toEqual(['PUT'])
  })
})
