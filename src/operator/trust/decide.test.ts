import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64, ca, expiredCA, text, today } from '@machinist/testing/certificates/certificates'
import { readBundle } from '@machinist/pki/bundle'
import type { Place } from './cluster.fixture.ts'
import { Cluster, places, unreachable, wholeCluster } from './cluster.fixture.ts'
import { decide } from './decide.ts'

const a = await ca('A')
const b = await ca('B', Date.parse('2026-06-01T00:00:00Z'))
const digestsKey = 'machinist.dev/trust-digests'
const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')
const digestsOf = (cluster: Cluster): Record<string, string> =>
  JSON.parse(cluster.controllerConfig!.metadata.annotations![digestsKey]!) as Record<string, string>

describe('the trust fields', () => {
  it('are not written in a cluster without inputs', () => {
    const { type, ...decision } = decide(new Cluster().facts())
    expect(type).toBe('all')
    expect(Object.keys(decision)).toEqual(['reports'])
    expect(decision.reports.map(({ input, state }) => `${input} ${state}`)).toEqual([
      'kubelet-client-ca absent',
      'mcs-ca absent',
      'cloud-ca absent',
      'pull-secret absent',
      'trust-bundle absent',
      'registry-cas-managed absent',
      'registry-cas-user absent',
      'api-server-ca absent',
    ])
  })

  it('are one write with the digests', () => {
    const cluster = new Cluster().put('kubelet', a.trimEnd()).put('cloud', b)
    const { controllerConfig } = decide(cluster.facts())
    expect(controllerConfig).toEqual({
      spec: {
        kubeAPIServerServingCAData: base64(a.trimEnd()),
        rootCAData: null,
        cloudProviderCAData: base64(b),
        internalRegistryPullSecret: null,
        additionalTrustBundle: null,
        imageRegistryBundleData: [],
        imageRegistryBundleUserData: [],
      },
      annotations: {
        // Files end with a newline, whether or not the field does.
        [digestsKey]: JSON.stringify({ 'cloud-ca': sha256(b), 'kubelet-client-ca': sha256(a) }),
        'machineconfiguration.openshift.io/service-ca-rotate': 'false',
      },
    })
  })

  it('have a digest for each trust item', () => {
    const cluster = wholeCluster()
    cluster.settle()
    expect(Object.keys(digestsOf(cluster))).toEqual([
      'api-server-ca',
      'cloud-ca',
      'kubelet-client-ca',
      'registry-cas',
      'registry-pull-secret',
    ])
    const { spec } = cluster.controllerConfig!
    expect(digestsOf(cluster)['registry-pull-secret']).toBe(
      sha256(text(spec.internalRegistryPullSecret)),
    )
  })

  it('have the expiry of their certificates in reports', () => {
    const cluster = new Cluster().put('kubelet', expiredCA + a + b)
    cluster.settle()
    cluster.put('kubelet', 'garbage')
    expect(cluster.settle().reports[0]).toMatchObject({
      state: 'invalid',
      notAfter: Date.parse('2026-06-01T00:00:00Z'),
    })
  })

  it('are removed only on purpose', () => {
    const cluster = new Cluster().put('user', a).put('kubelet', a)
    cluster.settle()
    cluster.remove('user').remove('kubelet')
    const { reports, controllerConfig } = decide(cluster.facts())
    const states = reports.map(({ input, state }) => `${input} ${state}`)
    expect(states).toContain('trust-bundle removed')
    expect(states).toContain('kubelet-client-ca invalid')
    expect(controllerConfig?.spec).toMatchObject({
      additionalTrustBundle: null,
      kubeAPIServerServingCAData: base64(a),
    })
    cluster.settle()
    expect(
      decide(cluster.facts()).reports.map(({ input, state }) => `${input} ${state}`),
    ).toContain('trust-bundle absent')
  })

  it('are written after kubeconfig-data if both are new, unless that has failed', () => {
    const cluster = new Cluster().put('kubelet', a).put('apiServer', b)
    const first = decide({ ...cluster.facts(), isFirstPass: true })
    expect(first.type).toBe('kubeconfigDataFirst')
    expect(Object.keys(first)).toEqual(['type', 'reports', 'kubeconfigData'])
    const second = decide(cluster.facts())
    expect(second.type).toBe('all')
    expect(second.controllerConfig).toBeDefined()
    expect(second.kubeconfigData).toEqual(first.kubeconfigData)
  })

  it('are written at once without new kubeconfig-data, and if they were written before', () => {
    const cluster = new Cluster().put('kubelet', a)
    const isFirstPass = true
    expect(decide({ ...cluster.facts(), isFirstPass })).toMatchObject({
      type: 'all',
      controllerConfig: {},
    })
    cluster.settle()
    cluster.put('kubelet', b).put('apiServer', b)
    expect(decide({ ...cluster.facts(), isFirstPass })).toMatchObject({
      type: 'all',
      controllerConfig: {},
      kubeconfigData: {},
    })
  })

  it('do not include fields and annotations of other writers', () => {
    const cluster = new Cluster().put('kubelet', a)
    cluster.settle()
    const { metadata, spec } = cluster.controllerConfig!
    cluster.controllerConfig = {
      metadata: { ...metadata, annotations: { ...metadata.annotations, theirs: 'x' } },
      spec: { ...spec, clusterDNSIP: '10.0.0.10' },
    }
    expect(decide(cluster.facts()).controllerConfig).toBeUndefined()
  })

  it('stay unchanged, the least important first, if they do not all fit into one object', () => {
    const cluster = wholeCluster()
    cluster.settle()
    const large = '# a\n'.repeat(125_000)
    cluster
      .put('ours', large + a)
      .put('user', large + a)
      .put('kubelet', large + a)
    const { reports } = cluster.settle()
    // 500,000 bytes each, and a third more in base64.
    expect(reports.filter(({ state }) => state === 'invalid')).toMatchObject([
      { input: 'trust-bundle' },
      {
        input: 'registry-cas-user',
        problem: {
          reason: 'TooLarge',
          message:
            'the spec of ControllerConfig machine-config-controller would exceed 1200000 bytes: remove unneeded content from referenced ConfigMaps of openshift-config',
        },
      },
    ])
    cluster.put('kubelet', a)
    expect(cluster.settle().reports.filter(({ state }) => state === 'invalid')).toMatchObject([
      { input: 'registry-cas-user' },
    ])
  })
})

describe('for any changes of sources', () => {
  const usable = [
    'kubelet',
    'root',
    'server',
    'cloud',
    'user',
    'proxy',
    'managed',
    'ours',
    'apiServer',
    'initial',
    'signer',
  ] as const
  const contents = [
    a,
    b,
    b + a,
    expiredCA + a,
    'garbage',
    '',
    expiredCA,
    a.slice(0, 200),
    a + a,
    undefined,
    'gone',
    'marked',
  ] as const
  const step = fc.tuple(fc.constantFrom(...usable), fc.constantFrom(...contents), fc.nat(90))

  const apply = (cluster: Cluster, place: Place, content: string | undefined): void => {
    if (content === 'gone') cluster.remove(place)
    else if (content === 'marked') {
      if (cluster.configMaps.has(places[place][0])) cluster.mark(places[place][0])
    } else cluster.put(place, content)
  }
  const concerned: Partial<Record<Place, string>> = {
    kubelet: 'kubelet-client-ca',
    initial: 'kubelet-client-ca',
    signer: 'kubelet-client-ca',
    root: 'mcs-ca',
    server: 'mcs-ca',
    cloud: 'cloud-ca',
    user: 'trust-bundle',
    proxy: 'trust-bundle',
    managed: 'registry-cas-managed',
    ours: 'registry-cas-user',
    apiServer: 'api-server-ca',
  }
  const fieldOf: Record<string, string> = {
    'kubelet-client-ca': 'kubeAPIServerServingCAData',
    'mcs-ca': 'rootCAData',
    'cloud-ca': 'cloudProviderCAData',
    'pull-secret': 'internalRegistryPullSecret',
    'trust-bundle': 'additionalTrustBundle',
    'registry-cas-managed': 'imageRegistryBundleData',
    'registry-cas-user': 'imageRegistryBundleUserData',
  }

  it('an invalid source changes nothing, sources are independent, no bundle becomes empty, and the cluster settles', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 12 }), (isInstalled, steps) => {
        const cluster = wholeCluster()
        if (!isInstalled) cluster.configMaps.delete('kube-system/bootstrap')
        cluster.settle()
        for (const [place, content, seconds] of steps) {
          const before = cluster.controllerConfig!.spec as unknown as Record<string, unknown>
          apply(cluster, place, content)
          cluster.now += seconds * 1000
          // Throws if the cluster does not settle.
          const { reports } = cluster.settle()
          const after = cluster.controllerConfig!.spec as unknown as Record<string, unknown>
          for (const { input, state } of reports) {
            const field = fieldOf[input]
            if (field === undefined) continue
            const isTouched = input === concerned[place]
            const stays = state === 'invalid' || !isTouched
            expect(after[field]).toEqual(stays ? before[field] : after[field])
            expect([state, after[field]]).not.toEqual(['valid', null])
          }
          const handed = cluster.configMaps.get('openshift-machine-config-operator/kubeconfig-data')
          const bundles = [
            handed?.binaryData?.['ca-bundle.crt'],
            ...Object.entries(after).flatMap(([field, value]) => {
              if (/CAData$|TrustBundle$/.test(field) && value !== null) return [value as string]
              return Array.isArray(value)
                ? (value as { data: string }[]).map(({ data }) => data)
                : []
            }),
          ]
          for (const one of bundles) expect(readBundle(text(one)).bundle.size).toBeGreaterThan(0)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('requeues unreadable objects', () => {
    const cluster = wholeCluster()
    cluster.settle()
    cluster.now += 3600_000
    cluster.settle()
    cluster.proxy = unreachable
    expect(cluster.settle().requeueAfterMs).toBe(60_000)
  })

  it('requeues before certificates expire', () => {
    const cluster = new Cluster().put('kubelet', b)
    cluster.settle()
    expect(cluster.settle().requeueAfterMs).toBe(24 * 3600_000)
    cluster.now = Date.parse('2026-05-31T23:59:00Z')
    expect(cluster.settle().requeueAfterMs).toBe(61_000)
    expect(cluster.now).toBeGreaterThan(today)
  })
})
