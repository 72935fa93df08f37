import { describe, expect, it } from 'vitest'
import type { RegistrySources } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { imageObjects } from './image-objects.fixture.ts'
import { planPool, poolCondition } from './pool-plan.ts'
import type { ImageSettings } from './node-files.ts'
import { readImageSettings } from './node-files.ts'

const name = '99-worker-generated-registries'
const base = { registries: '', policy: '{"default":[{"type":"insecureAcceptAnything"}]}' }
const search = '/etc/containers/registries.conf.d/01-image-searchRegistries.conf'
const settingsOf = (registrySources: RegistrySources): ImageSettings =>
  readImageSettings(imageObjects({ registrySources, releaseImage: 'quay.io/release/image:1' }))
const stored: MachineConfig = {
  metadata: {
    name,
    annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'b' },
  },
  spec: filesSpec([{ path: search, text: 'old' }]),
}

describe('a pool', () => {
  it('gets a MachineConfig in OpenShift even without settings', () => {
    const plan = planPool(settingsOf({}), base, undefined)
    expect(plan).toEqual({ spec: { config: { ignition: { version: '3.2.0' } } }, problems: [] })
    expect(poolCondition(name, plan)).toEqual({
      type: 'machinist.dev/ImageConfigDegraded',
      status: 'False',
      reason: 'AsExpected',
      message: '',
    })
  })

  it('gets no MachineConfig outside OpenShift before there are settings, and keeps it afterwards', () => {
    const plain = readImageSettings({ ...imageObjects(), releaseImage: undefined })
    expect(planPool(plain, base, undefined).spec).toBeUndefined()
    expect(planPool(plain, base, stored).spec).toEqual({
      config: { ignition: { version: '3.2.0' } },
    })
  })

  it('keeps the MachineConfig of OpenShift while the release image is unknown', () => {
    const owner = { apiVersion: 'config.openshift.io/v1', kind: 'Image', name: 'cluster', uid: 'u' }
    const owned = { ...stored, metadata: { ...stored.metadata, ownerReferences: [owner] } }
    const blocked = imageObjects({ registrySources: { blockedRegistries: ['quay.io'] } })
    const plain = readImageSettings({ ...blocked, releaseImage: undefined })
    const plan = planPool(plain, base, owned)
    expect(plan.spec).toBe(stored.spec)
    expect(poolCondition(name, plan)).toMatchObject({
      status: 'True',
      reason: 'BadRelease',
      message:
        'MachineConfig 99-worker-generated-registries is kept unchanged: ' +
        'OpenShift owns it, and the API server does not serve ClusterVersion, which names the release image that must not be blocked; install the ClusterVersion CRD, or, if this cluster is not OpenShift, remove the Image from the ownerReferences of the MachineConfig',
    })
    expect(planPool(plain, base, stored).problems).toEqual([])
    expect(planPool(settingsOf({}), base, owned).problems).toEqual([])
  })

  it('gets its files sorted by path', () => {
    const sources = { containerRuntimeSearchRegistries: ['a.io'], insecureRegistries: ['b.io'] }
    const { spec } = planPool(settingsOf(sources), base, stored)
    expect(spec).toMatchObject({
      config: {
        storage: {
          files: [
            { path: '/etc/containers/registries.conf', mode: 0o644, overwrite: true },
            { path: search, mode: 0o644, overwrite: true },
          ],
        },
      },
    })
  })

  it('keeps its MachineConfig while an ambiguous setting is invalid', () => {
    const plan = planPool(
      settingsOf({ blockedRegistries: ['*x'], insecureRegistries: [''] }),
      base,
      stored,
    )
    expect(plan.spec).toBe(stored.spec)
    expect(poolCondition(name, plan)).toMatchObject({
      status: 'True',
      reason: 'BadRegistries',
      message:
        'MachineConfig 99-worker-generated-registries is kept unchanged: ' +
        'Image cluster: spec.registrySources.blockedRegistries[0]: invalid entry "*x": the only supported wildcard is *.domain, for all hosts of a domain, without port or path; correct or remove it; ' +
        'Image cluster: spec.registrySources.insecureRegistries[0]: invalid entry "": it is empty; correct or remove it',
    })
    const nothing = planPool(settingsOf({ blockedRegistries: ['*x'] }), base, undefined)
    expect(nothing.spec).toBeUndefined()
    expect(poolCondition(name, nothing).message).toMatch(
      /^MachineConfig 99-.* is not created: Image/,
    )
  })

  it('reports skipped settings, and settings that are applied differently than requested', () => {
    const leftOut = planPool(settingsOf({ insecureRegistries: [''] }), base, stored)
    expect(poolCondition(name, leftOut).message).toMatch(
      /^skipped invalid settings, nodes keep their last valid value: Image/,
    )
    const reported = planPool(settingsOf({ blockedRegistries: ['quay.io', 'b.io'] }), base, stored)
    expect(poolCondition(name, reported)).toMatchObject({
      status: 'True',
      reason: 'PayloadProtected',
    })
    expect(poolCondition(name, reported).message).toMatch(
      /^Image cluster: .* quay.io is not blocked/,
    )
    expect(reported.spec).not.toBe(stored.spec)
  })

  it('keeps its MachineConfig while the base files of the templates are invalid', () => {
    const sources = { insecureRegistries: ['a.io'], allowedRegistries: ['quay.io'] }
    for (const broken of [
      { ...base, registries: '[[' },
      { ...base, policy: '{}' },
    ]) {
      const plan = planPool(settingsOf(sources), broken, stored)
      expect(plan.spec).toBe(stored.spec)
      expect(plan.problems).toMatchObject([{ reason: 'NoBase', effect: 'held' }])
    }
    // Without settings, the base files are not read.
    const plan = planPool(settingsOf({}), { registries: '[[', policy: '' }, stored)
    expect(plan.problems).toEqual([])
  })
})
