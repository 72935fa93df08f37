import { describe, expect, it } from 'vitest'
import { clusterWord } from './cluster-word.fixture.ts'
import type { RegistrySources } from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import { decide, reportOf } from './decide.ts'
import type { Understood } from './settle.ts'
import { understand } from './settle.ts'

const name = '99-worker-generated-registries'
const base = { registries: '', policy: '{"default":[{"type":"insecureAcceptAnything"}]}' }
const search = '/etc/containers/registries.conf.d/01-image-searchRegistries.conf'
const understood = (registrySources: RegistrySources): Understood =>
  understand(clusterWord({ registrySources, releaseImage: 'quay.io/release/image:1' }))
const stored: MachineConfig = {
  metadata: {
    name,
    annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'b' },
  },
  spec: filesSpec([{ path: search, text: 'old' }]),
}

describe('a pool', () => {
  it('gets a MachineConfig even where nothing is said', () => {
    const plan = decide(understood({}), base, undefined)
    expect(plan).toEqual({ spec: { config: { ignition: { version: '3.2.0' } } }, problems: [] })
    expect(reportOf(name, plan)).toEqual({
      type: 'machinist.dev/ImageConfigDegraded',
      status: 'False',
      reason: 'AsExpected',
      message: '',
    })
  })

  it('gets none on a plain Kubernetes before something is said, and keeps it from then on', () => {
    const plain = understand({ ...clusterWord(), releaseImage: undefined })
    expect(decide(plain, base, undefined).spec).toBeUndefined()
    expect(decide(plain, base, stored).spec).toEqual({ config: { ignition: { version: '3.2.0' } } })
  })

  it('keeps what OpenShift gave it until it is known again which image must not be blocked', () => {
    const owner = { apiVersion: 'config.openshift.io/v1', kind: 'Image', name: 'cluster', uid: 'u' }
    const owned = { ...stored, metadata: { ...stored.metadata, ownerReferences: [owner] } }
    const blocked = clusterWord({ registrySources: { blockedRegistries: ['quay.io'] } })
    const plain = understand({ ...blocked, releaseImage: undefined })
    const plan = decide(plain, base, owned)
    expect(plan.spec).toBe(stored.spec)
    expect(reportOf(name, plan)).toMatchObject({
      status: 'True',
      reason: 'BadRelease',
      message:
        'MachineConfig 99-worker-generated-registries stays as it is: ' +
        'it was made on an OpenShift, and the API server does not serve ClusterVersion, which tells the release image that must not be blocked; install the kind, or, if this is no OpenShift, take the Image out of the ownerReferences of the MachineConfig',
    })
    expect(decide(plain, base, stored).problems).toEqual([])
    expect(decide(understood({}), base, owned).problems).toEqual([])
  })

  it('gets its files in the order of their paths', () => {
    const sources = { containerRuntimeSearchRegistries: ['a.io'], insecureRegistries: ['b.io'] }
    const { spec } = decide(understood(sources), base, stored)
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

  it('keeps what it has where nobody can say what is meant', () => {
    const plan = decide(
      understood({ blockedRegistries: ['*x'], insecureRegistries: [''] }),
      base,
      stored,
    )
    expect(plan.spec).toBe(stored.spec)
    expect(reportOf(name, plan)).toMatchObject({
      status: 'True',
      reason: 'BadRegistries',
      message:
        'MachineConfig 99-worker-generated-registries stays as it is: ' +
        'Image cluster: spec.registrySources.blockedRegistries[0]: invalid entry "*x": the only wildcard is *.domain, for all hosts under a domain, and nothing follows it; mend or remove it; ' +
        'Image cluster: spec.registrySources.insecureRegistries[0]: invalid entry "": it is empty; mend or remove it',
    })
    const nothing = decide(understood({ blockedRegistries: ['*x'] }), base, undefined)
    expect(nothing.spec).toBeUndefined()
    expect(reportOf(name, nothing).message).toMatch(/^MachineConfig 99-.* is not made: Image/)
  })

  it('says what is left out, and what is done in another way than asked', () => {
    const leftOut = decide(understood({ insecureRegistries: [''] }), base, stored)
    expect(reportOf(name, leftOut).message).toMatch(
      /^left out, while nodes keep what they have of it: Image/,
    )
    const told = decide(understood({ blockedRegistries: ['quay.io', 'b.io'] }), base, stored)
    expect(reportOf(name, told)).toMatchObject({ status: 'True', reason: 'PayloadProtected' })
    expect(reportOf(name, told).message).toMatch(/^Image cluster: .* quay.io is not blocked/)
    expect(told.spec).not.toBe(stored.spec)
  })

  it('keeps what it has where the templates gave nothing that can be read', () => {
    const sources = { insecureRegistries: ['a.io'], allowedRegistries: ['quay.io'] }
    for (const broken of [
      { ...base, registries: '[[' },
      { ...base, policy: '{}' },
    ]) {
      const plan = decide(understood(sources), broken, stored)
      expect(plan.spec).toBe(stored.spec)
      expect(plan.problems).toMatchObject([{ reason: 'NoBase', effect: 'held' }])
    }
    // Nobody needs them here.
    const plan = decide(understood({}), { registries: '[[', policy: '' }, stored)
    expect(plan.problems).toEqual([])
  })
})
