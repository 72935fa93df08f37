import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import type { Secret } from '@machinist/kube/kinds/core'
import { pointerConfig } from '../../fleet/provisioning/pointer.ts'
import { userDataPatch, userDataSecret } from './user-data.ts'

const pool = { metadata: { name: 'infra', uid: 'u-1' }, spec: {} }
const owner = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigPool',
  name: 'infra',
  uid: 'u-1',
}
const managed = 'machineconfiguration.openshift.io/managed-ca-bundle-derived-from-configmap'
const desired = userDataSecret(pool, '{}')

it('the user data of a pool', () => {
  expect(desired).toEqual({
    metadata: {
      name: 'infra-user-data-managed',
      namespace: 'openshift-machine-api',
      labels: { [managed]: '' },
      ownerReferences: [owner],
    },
    type: 'Opaque',
    data: { disableTemplating: 'dHJ1ZQo=', userData: 'e30=' },
  })
})

describe('existing user data', () => {
  const found = (more: Partial<Secret>, metadata: object = {}): Secret => ({
    ...desired,
    ...more,
    metadata: { ...desired.metadata, resourceVersion: '7', ...metadata },
  })

  it('is unchanged if it is up to date, with additions of other writers', () => {
    expect(userDataPatch(desired, found({}))).toBeUndefined()
    const others = { ...owner, kind: 'MachineSet', uid: 'u-9' }
    const more = { labels: { [managed]: '', mine: 'a' }, ownerReferences: [others, owner] }
    expect(userDataPatch(desired, found({}, more))).toBeUndefined()
  })

  it('gets only the differences', () => {
    const data = { disableTemplating: 'dHJ1ZQo=', userData: 'e30K', old: 'eA==' }
    expect(userDataPatch(desired, found({ data }))).toEqual({
      metadata: { resourceVersion: '7' },
      data: { disableTemplating: 'dHJ1ZQo=', userData: 'e30=', old: null },
    })
    expect(userDataPatch(desired, found({}, { labels: { mine: 'a' } }))).toEqual({
      metadata: { resourceVersion: '7', labels: { [managed]: '' } },
    })
  })

  it.each(['3.2.0', '3.4.0'] as const)(
    'keeps the Ignition version %s, which the boot images of its release support',
    (version) => {
      const secretWith = (ca: string, of?: typeof version): Secret =>
        userDataSecret(
          pool,
          pointerConfig({ host: 'api-int', pool: 'infra', caBundle: Buffer.from(ca), version: of }),
        )
      const { data } = secretWith('CA', version)
      expect(userDataPatch(secretWith('CA'), found({ data: data! }))).toBeUndefined()
      expect(userDataPatch(secretWith('NEW'), found({ data: data! }))?.data).toEqual(
        secretWith('NEW', version).data,
      )
    },
  )

  it('of a deleted pool is adopted by its namesake', () => {
    const machineSet = { ...owner, kind: 'MachineSet', uid: 'u-9' }
    const ownerReferences = [{ ...owner, uid: 'u-0' }, machineSet]
    expect(userDataPatch(desired, found({}, { ownerReferences }))).toEqual({
      metadata: { resourceVersion: '7', ownerReferences: [machineSet, owner] },
    })
  })

  it('is up to date after one patch, from any state', () => {
    const text = fc.constantFrom('', 'e30=', 'dHJ1ZQo=', 'eA==')
    const key = fc.constantFrom('userData', 'disableTemplating', 'other', managed)
    const uid = fc.constantFrom('u-0', 'u-1', 'u-2')
    const kind = fc.constantFrom('MachineConfigPool', 'MachineSet')
    fc.assert(
      fc.property(
        fc.option(fc.dictionary(key, text), { nil: undefined }),
        fc.option(fc.dictionary(key, text), { nil: undefined }),
        fc.array(fc.record({ uid, kind }), { maxLength: 3 }),
        (data, labels, owners) => {
          const ownerReferences = owners.map((one) => ({ ...owner, ...one }))
          const before = found({ data }, { labels, ownerReferences })
          const patch = userDataPatch(desired, before)
          const after = applyMergePatch(before, patch ?? {}) as Secret
          expect(userDataPatch(desired, after)).toBeUndefined()
          expect(after.data).toEqual(desired.data)
          expect(after.metadata.labels).toMatchObject({ [managed]: '' })
          expect(after.metadata.ownerReferences).toContainEqual(owner)
        },
      ),
    )
  })
})
