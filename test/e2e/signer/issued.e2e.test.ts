import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import type { Part } from '../../integration/trust/whole-lane.ts'
import { WholeLane } from '../../integration/trust/whole-lane.ts'
import {
  certificateIn,
  isCompleted,
  makeNamespace,
  rotate,
} from '../../integration/signer/rotation-operations.ts'
import type { Expected } from '../../integration/signer/inspection.ts'
import { inspect } from '../../integration/signer/inspection.ts'
import { Issued } from '../../integration/signer/issued.ts'
import {
  apiServerRotation,
  apiServers,
  kubeletRotation,
  kubelets,
  quick,
} from '../../integration/signer/rotations.ts'

/*
 * A cluster without nodes whose virtual years pass in seconds. openssl verifies everything that was ever signed, at the time of
 * its write and with the bundle of that time.
 */
const hour = 3_600_000
const day = 24 * hour
const issued = new Issued(() => lane.clock)
let lane: WholeLane
let signer: Part
const rotations = ['kube-apiserver-to-kubelet', 'kube-apiserver-serving']
const places: readonly ObjectKey[] = [
  kubelets.signer,
  kubelets.target,
  apiServers.signer,
  apiServers.target,
]

beforeAll(async () => {
  lane = await WholeLane.open({
    between: (who, inner) => (who === 'signer' ? issued.through(inner) : inner),
    stepMs: 1000,
  })
  const { client } = lane
  await makeNamespace(client, kubelets.target.namespace)
  await client.create(trustRotations, kubeletRotation())
  await client.create(trustRotations, quick(apiServerRotation()))
  signer = lane.sign()
  await lane.until('all certificates exist', isFresh)
})
afterAll(() => lane[Symbol.asyncDispose]())

/** Whether all certificates exist and are not due for a refresh, and no rotation is in progress. */
async function isFresh(): Promise<boolean> {
  const { client, clock } = lane
  for (const name of rotations) if (!(await isCompleted(client, name))) return false
  const found = await Promise.all(places.map((place) => certificateIn(client, place)))
  return found.every((each) => each !== undefined && isYoung(each, clock.now()))
}

/** Whether less than four fifths of its lifetime have passed. */
const isYoung = (
  { notBefore, notAfter }: { notBefore: number; notAfter: number },
  now: number,
): boolean => now >= notBefore && now < notBefore + (notAfter - notBefore) * 0.8

describe('all certificates are reissued in time', () => {
  it.each([30, 90])('when the clock jumps by %i days', async (days) => {
    lane.clock.jump(days * day)
    expect(await isFresh()).toBe(false)
    // No event reports the jump; the signer notices it within this time.
    await lane.clock.advance(2 * hour)
    await lane.until('all certificates are fresh again', isFresh)
  })

  it('when the signer was off for a year', async () => {
    await signer.stop()
    lane.clock.jump(365 * day)
    expect(await isFresh()).toBe(false)
    signer = lane.sign()
    await lane.until('all certificates are fresh again', isFresh)
  })

  it('when an administrator requests it', async () => {
    for (const { signer: place, target } of [kubelets, apiServers]) {
      const before = await certificateIn(lane.client, place)
      const leaf = await certificateIn(lane.client, target)
      await rotate(lane.client, place)
      await lane.until('the CA is replaced', async () => {
        return (await certificateIn(lane.client, place))?.serial !== before?.serial
      })
      const { commonName } = (await certificateIn(lane.client, place))!
      expect(commonName).not.toBe(before?.commonName)
      await lane.until('the certificate is replaced', async () => {
        return (await certificateIn(lane.client, target))?.serial !== leaf?.serial
      })
    }
    await lane.until('all certificates are fresh again', isFresh)
  })
})

it('openssl accepts every certificate with the bundle of its time', () => {
  const kubelet = {
    bundle: 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca',
    key: 'RSA 2048',
  } as const
  const server = {
    bundle: 'openshift-kube-apiserver-operator/loadbalancer-serving-ca',
    key: 'P-256',
  } as const
  const expected: Record<string, Expected> = {
    'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': {
      ...kubelet,
      purpose: 'authority',
      subject: /^CN=openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@\d{10}$/,
      hours: 8760,
    },
    'openshift-kube-apiserver/kubelet-client': {
      ...kubelet,
      purpose: 'client',
      subject: /^CN=system:kube-apiserver,O=kube-master$/,
      hours: 720,
    },
    'openshift-kube-apiserver-operator/loadbalancer-serving-signer': {
      ...server,
      purpose: 'authority',
      subject: /^CN=openshift-kube-apiserver-operator_loadbalancer-serving-signer@\d{10}$/,
      hours: 87_600,
    },
    'openshift-kube-apiserver/external-loadbalancer-serving-certkey': {
      ...server,
      purpose: 'server',
      subject: /^CN=api\.one\.example\.com$/,
      hours: 720,
      names: 'DNS:api.one.example.com, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
    },
  }
  expect(inspect(issued.written, expected)).toEqual({
    faults: [],
    counts: {
      // Installation, after a year, on request.
      'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer': 3,
      'openshift-kube-apiserver-operator/loadbalancer-serving-signer': 2,
      // Installation, after 30, 90 and 365 days, and after each requested rotation.
      'openshift-kube-apiserver/kubelet-client': 5,
      'openshift-kube-apiserver/external-loadbalancer-serving-certkey': 5,
    },
  })
  const hostnames = issued.written
    .filter(
      ({ place }) => place === 'openshift-kube-apiserver/external-loadbalancer-serving-certkey',
    )
    .map(({ annotations }) => annotations['auth.openshift.io/certificate-hostnames'])
  expect(new Set(hostnames)).toEqual(new Set(['10.0.0.1,api.one.example.com,fd00::1']))
})

it('the inspection reports a bad certificate', () => {
  const good = issued.written.findLast(({ kind }) => kind === 'Secret')!
  const bundles = issued.written.filter(({ kind }) => kind === 'ConfigMap')
  const expected: Expected = {
    bundle: 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca',
    purpose: 'client',
    subject: /^CN=other$/,
    hours: 1,
    key: 'RSA 4096',
    names: 'DNS:other',
  }
  const { faults } = inspect([...bundles, { ...good, annotations: {} }], { [good.place]: expected })
  const reported = faults.map((fault) => /: (.*) is not as expected/.exec(fault)?.[1])
  expect(reported).toEqual(
    expect.arrayContaining(['subject', 'names', 'end', 'not-before', 'not-after', 'issuer']),
  )
  const missing = { ...good, data: { ...good.data, 'tls.key': '' } }
  const alone = inspect([missing], { [good.place]: expected }).faults.join()
  expect(alone).toContain(': key is not as expected')
  expect(alone).toContain(': trust is not as expected')
})
