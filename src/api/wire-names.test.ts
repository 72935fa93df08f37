import { describe, expect, it } from 'vitest'
import {
  annotations,
  certificateAnnotations,
  nodeAnnotations,
  nodeStates,
  ownPoolAnnotations,
  ownSignerAnnotations,
  provisioningTokenAnnotations,
} from './annotations.ts'
import { nodeConditions, poolConditions, rotationConditions } from './conditions.ts'
import { certificateTypes, labels, nodeRoleLabel, ownLabels, poolLabel, taints } from './labels.ts'
import { configMaps, names, namespaces, provisioningToken, secrets, signerKeys } from './names.ts'
import * as reasons from './reasons.ts'

/** Other programs and scripts of users depend on these names: they must never change. */
const domain = 'machineconfiguration.openshift.io'

describe('wire names', () => {
  it('of node annotations', () => {
    expect(Object.values(nodeAnnotations).map((key) => key.replace(`${domain}/`, ''))).toEqual([
      'currentConfig',
      'desiredConfig',
      'currentImage',
      'desiredImage',
      'state',
      'reason',
      'post-config-action',
      'ostree-finalize-staged-failure',
      'desiredDrain',
      'lastAppliedDrain',
      'controlPlaneTopology',
      'firstPivotConfig',
      'customPoolLabelsApplied',
      'lastSyncedControllerConfigResourceVersion',
      'lastObservedServerCAAnnotation',
      'ssh',
    ])
    expect(nodeStates).toEqual({
      working: 'Working',
      done: 'Done',
      degraded: 'Degraded',
      unreconcilable: 'Unreconcilable',
    })
  })

  it('of the other annotations', () => {
    expect(Object.values(annotations).map((key) => key.replace(`${domain}/`, ''))).toEqual([
      'generated-by-controller-version',
      'generated-by-version',
      'release-image-version',
      'service-ca-rotate',
      'os-image-url-overridden',
      'mc-name-suffix',
      'current-machine-os-build',
      'rebuild',
      'pre-built-image',
      'boot-image-updates-opted-in-at',
    ])
    expect(certificateAnnotations).toMatchObject({
      notAfter: 'auth.openshift.io/certificate-not-after',
      notBefore: 'auth.openshift.io/certificate-not-before',
      issuer: 'auth.openshift.io/certificate-issuer',
      hostnames: 'auth.openshift.io/certificate-hostnames',
      owningComponent: 'openshift.io/owning-component',
    })
  })

  it('of labels and taints', () => {
    expect(labels.role).toBe('machineconfiguration.openshift.io/role')
    expect(labels.builtInPool).toBe('machineconfiguration.openshift.io/mco-built-in')
    expect(labels.requiredForUpgrade).toBe(
      'operator.machineconfiguration.openshift.io/required-for-upgrade',
    )
    expect(poolLabel('infra')).toBe('pools.operator.machineconfiguration.openshift.io/infra')
    expect(nodeRoleLabel('infra')).toBe('node-role.kubernetes.io/infra')
    expect(taints.updateInProgress).toBe('UpdateInProgress')
  })

  it('of conditions', () => {
    expect(Object.values(poolConditions).slice(0, 5)).toEqual([
      'Updated',
      'Updating',
      'Degraded',
      'NodeDegraded',
      'RenderDegraded',
    ])
    expect(Object.values(nodeConditions)).toHaveLength(18)
  })

  it('of objects', () => {
    expect(names.controllerConfig).toBe('machine-config-controller')
    expect(namespaces.operator).toBe('openshift-machine-config-operator')
    expect(configMaps.kubeletClientCA).toEqual({
      namespace: 'openshift-config-managed',
      name: 'kube-apiserver-client-ca',
      key: 'ca-bundle.crt',
    })
    expect(configMaps.rootCA).toEqual({ namespace: 'kube-system', name: 'root-ca', key: 'ca.crt' })
    expect(secrets.kubeletSigner).toEqual({
      namespace: 'openshift-kube-apiserver-operator',
      name: 'kube-apiserver-to-kubelet-signer',
    })
    expect(secrets.pullSecret.key).toBe('.dockerconfigjson')
  })

  it('of provisioning tokens', () => {
    expect(namespaces.provisioning).toBe('machinist-provisioning')
    expect(ownLabels).toEqual({ pool: 'machinist.dev/pool' })
    expect(provisioningToken).toEqual({
      type: 'machinist.dev/provisioning-token',
      keys: { current: 'token', previous: 'previous' },
      managedPrefix: 'provisioning-token-',
    })
    expect(Object.values(provisioningTokenAnnotations)).toEqual([
      'machinist.dev/token-issued-at',
      'machinist.dev/previous-valid-until',
      'machinist.dev/token-expires-at',
      'machinist.dev/token-cidrs',
      'machinist.dev/token-uses',
      'machinist.dev/token-used-at',
      'machinist.dev/token-used-by',
    ])
    expect(ownPoolAnnotations).toMatchObject({
      provisioningTokenRefresh: 'machinist.dev/provisioning-token-refresh',
      provisioningTokenOverlap: 'machinist.dev/provisioning-token-overlap',
    })
  })

  it('of rotated certificates', () => {
    expect(ownSignerAnnotations).toEqual({ rotateBack: 'machinist.dev/rotate-back' })
    expect(signerKeys).toEqual({
      certificate: 'tls.crt',
      key: 'tls.key',
      previousCertificate: 'previous.crt',
      previousKey: 'previous.key',
    })
    expect(labels.managedCertificateType).toBe('auth.openshift.io/managed-certificate-type')
    expect(Object.values(certificateTypes)).toEqual(['signer', 'ca-bundle', 'target'])
    expect(Object.values(rotationConditions)).toEqual(['Trusted', 'Progressing', 'Degraded'])
    expect(Object.values(reasons.signerEvents)).toEqual([
      'SignerUpdateRequired',
      'CABundleUpdateRequired',
      'TargetUpdateRequired',
    ])
    expect(secrets.kubeletClient).toEqual({
      namespace: 'openshift-kube-apiserver',
      name: 'kubelet-client',
    })
  })

  it('of reasons: each is one word, as the API server requires', () => {
    const { taskFailed, actionProhibited, ...groups } = reasons
    const all = [
      ...Object.values(groups).flatMap(Object.values<string>),
      actionProhibited,
      taskFailed('RenderConfig'),
    ]
    expect(all.length).toBeGreaterThan(50)
    for (const reason of all) expect(reason).toMatch(/^[A-Z][A-Za-z0-9]*$/)
    expect(all.at(-1)).toBe('RenderConfigFailed')
  })
})
