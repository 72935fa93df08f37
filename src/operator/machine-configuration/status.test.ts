import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import { policyProblem, statusFor } from './status.ts'

const now = '2026-01-02T00:00:00Z'
const object = (more: Partial<MachineConfiguration> = {}): MachineConfiguration => ({
  metadata: { name: 'cluster', generation: 3 },
  spec: { managementState: 'Managed' },
  ...more,
})
const policy = (nodeDisruptionPolicy: unknown): MachineConfiguration['spec'] =>
  ({ nodeDisruptionPolicy }) as MachineConfiguration['spec']
const reload = { type: 'Reload' as const, reload: { serviceName: 'crio.service' } }

describe('the policy in effect', () => {
  it('is the built-in one if the user has none', () => {
    const { observedGeneration, nodeDisruptionPolicyStatus, conditions } = statusFor(object(), now)
    expect([observedGeneration, conditions]).toEqual([3, undefined])
    const { files, units, sshkey } = nodeDisruptionPolicyStatus!.clusterPolicies!
    expect(files!.map(({ path }) => path)).toEqual([
      '/var/lib/kubelet/config.json',
      '/etc/machine-config-daemon/no-reboot/containers-gpg.pub',
      '/etc/containers/policy.json',
      '/etc/containers/registries.conf',
      '/etc/containers/registries.d',
      '/etc/crio/policies',
      '/etc/nmstate/openshift',
      '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
      '/etc/kubernetes/credential-providers',
      '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf',
      '/etc/iri-registry',
      '/usr/local/bin/load-registry-image.sh',
      '/etc/pki/ca-trust/source/anchors/iri-root-ca.crt',
    ])
    expect(files![3]).toEqual({
      path: '/etc/containers/registries.conf',
      actions: [{ type: 'Special' }],
    })
    expect(units!.map(({ name }) => name)).toEqual(['iri-registry.service'])
    expect(sshkey).toEqual({ actions: [{ type: 'None' }] })
  })

  it("has the user's entries in place of the built-in ones, and after them", () => {
    const spec = policy({
      files: [
        { path: '/etc/mine', actions: [reload] },
        { path: '/etc/containers/registries.conf', actions: [{ type: 'None' }] },
      ],
      sshkey: { actions: [{ type: 'Reboot' }] },
    })
    const { files, sshkey } = statusFor(object({ spec }), now).nodeDisruptionPolicyStatus!
      .clusterPolicies!
    expect(files![3]).toEqual({
      path: '/etc/containers/registries.conf',
      actions: [{ type: 'None' }],
    })
    expect(files!.at(-1)).toEqual({ path: '/etc/mine', actions: [reload] })
    expect(sshkey).toEqual({ actions: [{ type: 'Reboot' }] })
  })

  it('keeps conditions of other writers', () => {
    const conditions = [
      { type: 'BootImageUpdateDegraded', status: 'False' as const, reason: 'A', message: '' },
    ]
    const status = { conditions, managedBootImagesStatus: { machineManagers: [] } }
    expect(statusFor(object({ status }), now)).toMatchObject(status)
  })
})

describe('a policy with entries for files that no rollout changes', () => {
  const ca = '/etc/kubernetes/kubelet-ca.crt'
  const type = 'machinist.dev/NodeDisruptionPolicyNoEffect'
  const found = (path: string): MachineConfiguration =>
    object({ spec: policy({ files: [{ path, actions: [reload] }] }) })
  const reported = (path: string, delivery?: 'direct' | 'rendered') =>
    statusFor(found(path), now, delivery).conditions?.find((one) => one.type === type)

  it('reports that they have no effect, and why', () => {
    expect(reported(ca)).toEqual({
      type,
      status: 'True',
      reason: 'EntriesWithoutEffect',
      message:
        'spec.nodeDisruptionPolicy.files[0] (/etc/kubernetes/kubelet-ca.crt) has no effect on /etc/kubernetes/kubelet-ca.crt: the daemon writes certificates and pull secrets without a rollout, so no policy action follows. Remove entries that are meant only for such a file',
      lastTransitionTime: now,
      observedGeneration: 3,
    })
    expect(reported('/etc/kubernetes')?.message).toContain(
      `(/etc/kubernetes) has no effect on ${ca}`,
    )
  })

  it('reports nothing if the entries apply', () => {
    expect(reported('/etc/motd')).toBeUndefined()
    expect(reported(ca, 'rendered')).toBeUndefined()
  })

  it('clears the report', () => {
    const { conditions } = statusFor(found(ca), now)
    const fixed = { ...object(), status: { conditions: conditions! } }
    expect(statusFor(fixed, now).conditions).toMatchObject([{ type, status: 'False' }])
  })
})

describe('an invalid policy', () => {
  const bad = policy({ files: [{ path: '', actions: [{ type: 'Explode' }] }] })
  const message =
    'spec.nodeDisruptionPolicy.files[0].path must not be empty; spec.nodeDisruptionPolicy.files[0].actions[0].type must be one of Reboot, Drain, Reload, Restart, DaemonReload, None. Correct these fields; until then, the last valid policy stays in effect'
  const condition = {
    type: 'machinist.dev/NodeDisruptionPolicyInvalid',
    status: 'True' as const,
    reason: 'BadPolicy',
    message,
    observedGeneration: 3,
    lastTransitionTime: now,
  }

  it('keeps the last valid one in effect, and is reported', () => {
    const clusterPolicies = { files: [], units: [], sshkey: { actions: [] } }
    const status = { observedGeneration: 2, nodeDisruptionPolicyStatus: { clusterPolicies } }
    expect(statusFor(object({ spec: bad, status }), now)).toEqual({
      observedGeneration: 3,
      nodeDisruptionPolicyStatus: { clusterPolicies },
      conditions: [condition],
    })
  })

  it('keeps the built-in one in effect if there was none', () => {
    const { clusterPolicies } = statusFor(object({ spec: bad }), now).nodeDisruptionPolicyStatus!
    expect(clusterPolicies).toEqual(
      statusFor(object(), now).nodeDisruptionPolicyStatus!.clusterPolicies,
    )
  })

  it('is reported until it is corrected', () => {
    const later = '2026-01-03T00:00:00Z'
    const status = statusFor(object({ spec: bad }), now)
    expect(statusFor(object({ spec: bad, status }), later)).toEqual(status)
    const { conditions } = statusFor(object({ status }), later)
    expect(conditions).toEqual([
      {
        type: 'machinist.dev/NodeDisruptionPolicyInvalid',
        status: 'False',
        reason: 'AsExpected',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: later,
      },
    ])
  })
})

it('the status is stable for any spec', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const found = object({ spec: policy(value) })
      const status = statusFor(found, now)
      expect(statusFor({ ...found, status }, 'later')).toEqual(status)
      const isBad = policyProblem(found) !== undefined
      expect(status.conditions?.[0]?.status).toBe(isBad ? 'True' : undefined)
    }),
  )
})
