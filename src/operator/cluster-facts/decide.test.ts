import { describe, expect, it } from 'vitest'
import { invalid, given, absent, plainFacts, stored } from './example-facts.fixture.ts'
import type { ClusterFacts } from './facts.ts'
import type { ClusterFactsPlan } from './decide.ts'
import { decide } from './decide.ts'

type ClusterFactsWrite = Extract<ClusterFactsPlan, { type: 'write' }>

function decided(facts: Partial<ClusterFacts>, versions = ours): ClusterFactsWrite {
  const plan = decide({ ...plainFacts, ...facts, versions })
  if (plan.type !== 'write') throw new Error(`the plan is to ${plan.type}`)
  return plan
}

const ours = { version: '0.1.0', release: '4.16.3' }
const madeBy = 'machineconfiguration.openshift.io/generated-by-version'
const release = 'machineconfiguration.openshift.io/release-image-version'
const digests = 'machinist.dev/trust-digests'
const remembered = 'machinist.dev/cluster-facts'
const onKubernetes = { 'machinist.dev/distribution': 'kubernetes' }

const problemsOf = ({ reports }: ClusterFactsWrite): Record<string, string | undefined> =>
  Object.fromEntries(
    reports.flatMap(({ input, problem }) => (problem ? [[input, problem.message]] : [])),
  )

const configMap = (data: Record<string, string>, name = 'x') =>
  given<never>({ metadata: { namespace: 'n', name }, data })

it('the first write waits for that of the trust controller', () => {
  expect(decide({ ...plainFacts, trustWaitMs: 3000 })).toEqual({ type: 'wait', ms: 3000 })
})

describe('a cluster without configuration objects', () => {
  it('has platform None, and the network of the API server Service', () => {
    const { change, reports } = decided({})
    expect(change.spec).toEqual({
      infra: {
        apiVersion: 'config.openshift.io/v1',
        kind: 'Infrastructure',
        metadata: { name: 'cluster' },
        spec: { platformSpec: { type: 'None' } },
        status: { platformStatus: { type: 'None' } },
      },
      platform: 'none',
      etcdDiscoveryDomain: undefined,
      clusterDNSIP: '10.96.0.10',
      ipFamilies: 'IPv4',
      networkType: undefined,
      network: null,
      proxy: null,
      dns: null,
      images: {},
      baseOSContainerImage: '',
      baseOSExtensionsContainerImage: undefined,
      osImageURL: undefined,
      cloudProviderConfig: '',
    })
    expect(reports.map(({ input }) => input)).toEqual([
      'infrastructure',
      'network',
      'proxy',
      'dns',
      'images',
      'os-image',
      'cloud-config',
      'pull-secret-reference',
      'certificate-delivery',
      'container-runtime',
      'cluster-facts',
    ])
    expect(reports.some(({ problem }) => problem)).toBe(false)
  })
})

describe('an invalid input', () => {
  it.each([
    ['infrastructure', ['infra', 'platform', 'etcdDiscoveryDomain']],
    ['network', ['clusterDNSIP', 'ipFamilies', 'networkType', 'network']],
    ['proxy', ['proxy']],
    ['dns', ['dns']],
    ['cloudConfig', ['cloudProviderConfig']],
    ['releaseImages', ['images']],
    ['osImages', ['baseOSContainerImage', 'baseOSExtensionsContainerImage', 'osImageURL']],
  ])('such as %s leaves only its own fields unchanged', (input, fields) => {
    const all = Object.keys(decided({}).change.spec)
    const decision = decided({ [input]: invalid })
    const left = all.filter((field) => !fields.includes(field))
    expect(Object.keys(decision.change.spec)).toEqual(left)
    expect(Object.values(problemsOf(decision))).toEqual(['it is unreadable'])
  })
})

describe('the version annotations', () => {
  const whole = { [madeBy]: '0.0.9', [digests]: '{}' }

  it('are set when the trust controller has written its fields', () => {
    expect(decided({}).change.annotations).toEqual(onKubernetes)
    expect(decided({ stored: stored({}) }).change.annotations).toEqual(onKubernetes)
    expect(decided({ stored: stored({}, { [digests]: '{}' }) }).change.annotations).toEqual({
      ...onKubernetes,
      [madeBy]: '0.1.0',
      [release]: '4.16.3',
    })
  })

  it('are not set on a new ControllerConfig while an input is invalid', () => {
    const half = stored({}, { [digests]: '{}' })
    expect(decided({ stored: half, network: invalid }).change.annotations).toEqual(onKubernetes)
  })

  it('are set on a ControllerConfig that was complete before: it has the last valid values', () => {
    const { annotations } = decided({ stored: stored({}, whole), network: invalid }).change
    expect(annotations).toEqual({ ...onKubernetes, [madeBy]: '0.1.0', [release]: '4.16.3' })
  })

  it('do not include the release while the images are invalid', () => {
    const { annotations } = decided({ stored: stored({}, whole), osImages: invalid }).change
    expect(annotations).toEqual({ ...onKubernetes, [madeBy]: '0.1.0' })
  })

  it('stay unchanged while the images are of another release', () => {
    const osImages = configMap({ releaseVersion: '4.15.0' })
    const facts = { osImages, release: '4.16.3' }
    const { change } = decided({ ...facts, stored: stored({}, whole) })
    expect(change.annotations).toEqual(onKubernetes)
    // The annotations from before the image changed stay.
    const annotated = { ...whole, [madeBy]: '0.1.0' }
    expect(decided({ ...facts, stored: stored({}, annotated) }).change.annotations).toEqual({
      ...onKubernetes,
      [madeBy]: '0.1.0',
    })
  })
})

describe('the distribution', () => {
  const distribution = (facts: Partial<ClusterFacts>): string | null | undefined =>
    decided(facts).change.annotations['machinist.dev/distribution']

  it('is OpenShift if the API serves ClusterVersion, for any platform', () => {
    const infrastructure = given<never>({ spec: {}, status: { platformStatus: { type: 'AWS' } } })
    expect(distribution({ isOpenShift: true })).toBe('openshift')
    expect(distribution({ isOpenShift: false, infrastructure })).toBe('kubernetes')
  })

  it('keeps its recorded value while the API does not answer', () => {
    expect(distribution({ isOpenShift: undefined })).toBeUndefined()
  })
})

describe('infrastructure', () => {
  it.each([
    [{ platformStatus: { type: 'AWS', aws: {} } }, 'aws', { type: 'AWS', aws: {} }],
    [{ platform: 'BareMetal' }, 'baremetal', { type: 'BareMetal' }],
    [{ platform: 'AWS', platformStatus: {} }, 'none', { type: 'None' }],
    [{}, 'none', { type: 'None' }],
  ])('of status %j is platform %s', (status, platform, platformStatus) => {
    const { spec } = decided({ infrastructure: given({ spec: {}, status }) }).change
    expect(spec.platform).toBe(platform)
    expect(spec.infra?.status?.platformStatus).toEqual(platformStatus)
  })
})

describe('the proxy', () => {
  it.each([
    [
      { status: { httpProxy: 'http://p', noProxy: '.svc', other: 1 } },
      { httpProxy: 'http://p', noProxy: '.svc' },
    ],
    [{ status: { httpsProxy: 'http://p', httpProxy: '' } }, { httpsProxy: 'http://p' }],
    [{ status: {} }, null],
    [{}, null],
  ])('%j is %j', (proxy, expected) => {
    expect(decided({ proxy: given(proxy) }).change.spec.proxy).toEqual(expected)
  })
})

describe('cloud.conf', () => {
  const platform = (type: string, name = '') =>
    given<never>({ spec: { cloudConfig: { name } }, status: { platformStatus: { type } } })
  const missing = 'ConfigMap openshift-config-managed/kube-cloud-config is missing: platform'
  const keyless =
    'ConfigMap openshift-config-managed/kube-cloud-config has no key cloud.conf: platform'

  it.each([
    ['absent', absent, platform('None'), '', undefined],
    ['absent', absent, platform('AWS'), '', undefined],
    [
      'absent',
      absent,
      platform('AWS', 'named'),
      undefined,
      `${missing} AWS requires it; create it`,
    ],
    ['absent', absent, platform('Azure'), undefined, `${missing} Azure requires it; create it`],
    [
      'keyless',
      configMap({}),
      platform('VSphere'),
      undefined,
      `${keyless} VSphere requires it; add it`,
    ],
    ['keyless', configMap({}), platform('AWS', 'named'), '', undefined],
    ['present', configMap({ 'cloud.conf': 'x=1' }), platform('GCP'), 'x=1', undefined],
    ['present', configMap({ 'cloud.conf': 'x=1' }), platform('None'), 'x=1', undefined],
  ])('that is %s (%j, %j) is %j', (_, cloudConfig, infrastructure, expected, problem) => {
    const decision = decided({ cloudConfig, infrastructure })
    expect(decision.change.spec.cloudProviderConfig).toBe(expected)
    expect(problemsOf(decision)['cloud-config']).toBe(problem)
  })

  it('follows the last valid platform if Infrastructure is invalid', () => {
    const infra = { spec: {}, status: { platformStatus: { type: 'Azure' } } } as never
    const decision = decided({ infrastructure: invalid, stored: stored({ infra }) })
    expect(problemsOf(decision)['cloud-config']).toBe(`${missing} Azure requires it; create it`)
  })
})

describe('images', () => {
  const images = {
    releaseVersion: '4.16.3',
    machineConfigOperator: 'mco',
    infraImage: 'pod',
    keepalivedImage: 'keepalived',
    corednsImage: 'coredns',
    haproxyImage: 'haproxy',
    baremetalRuntimeCfgImage: 'runtimecfg',
    oauthProxy: 'not for templates',
    kubeRbacProxy: 'rbac',
    dockerRegistryImage: 'registry',
    machinistDaemon: 'daemon',
  }
  const ofRelease = (text: string) => configMap({ 'images.json': text })

  it('of the release get the names that templates use', () => {
    const { change } = decided({
      releaseImages: ofRelease(JSON.stringify(images)),
      release: '4.16.3',
    })
    expect(change.spec.images).toEqual({
      machineConfigOperator: 'mco',
      apiServerWatcherKey: 'mco',
      infraImageKey: 'pod',
      keepalivedImage: 'keepalived',
      corednsImage: 'coredns',
      haproxyImage: 'haproxy',
      baremetalRuntimeCfgImage: 'runtimecfg',
      kubeRbacProxyImage: 'rbac',
      dockerRegistryImage: 'registry',
      machinistDaemon: 'daemon',
    })
  })

  it.each([
    [ofRelease('{'), 'must be JSON, a map of names to images'],
    [ofRelease('{"a":1}'), 'must be JSON, a map of names to images'],
    [configMap({}), 'must be JSON, a map of names to images'],
    [
      ofRelease('{"releaseVersion":"4.15.0"}'),
      'it is not of release 4.16.3, to which the cluster is upgrading; wait for the upgrade to update it',
    ],
  ])('%j is invalid', (releaseImages, message) => {
    const where =
      'ConfigMap openshift-machine-config-operator/machine-config-operator-images, key images.json'
    const decision = decided({ releaseImages, release: '4.16.3' })
    expect(problemsOf(decision)).toEqual({ images: `${where}: ${message}` })
    expect(decision.change.spec).not.toHaveProperty('images')
  })

  it('are required in OpenShift, and come from the ConfigMap elsewhere', () => {
    expect(problemsOf(decided({ isOpenShift: true }))).toEqual({
      images:
        'ConfigMap openshift-machine-config-operator/machine-config-operator-images is missing: it is part of the release; restore it',
      'os-image':
        'ConfigMap openshift-machine-config-operator/machine-config-osimageurl is missing: it is part of the release; restore it',
    })
    const facts = { ...plainFacts.facts, images: given({ infraImageKey: 'pause' }) }
    expect(decided({ facts }).change.spec.images).toEqual({ infraImageKey: 'pause' })
    const wrong = { ...plainFacts.facts, images: given(['pause']) }
    expect(problemsOf(decided({ facts: wrong })).images).toBe(
      'ConfigMap openshift-machine-config-operator/machinist-cluster, key images: must be a map of names to images',
    )
  })

  it('stay unchanged while it is unknown whether the cluster is OpenShift', () => {
    const decision = decided({ isOpenShift: undefined })
    expect(Object.keys(problemsOf(decision))).toEqual(['images', 'os-image'])
    expect(problemsOf(decision)['images']).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-operator-images is missing, and it is unknown whether the cluster requires it: grant the operator permission to list and watch clusterversions.config.openshift.io',
    )
    const { spec } = decision.change
    expect([spec.images, spec.baseOSContainerImage, spec.pullSecret]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('of the operating system', () => {
    const osImages = configMap({
      releaseVersion: '4.16.3',
      baseOSContainerImage: 'rhcos',
      baseOSExtensionsContainerImage: 'extensions',
      osImageURL: '',
    })
    expect(decided({ osImages, release: '4.16.3' }).change.spec).toMatchObject({
      baseOSContainerImage: 'rhcos',
      baseOSExtensionsContainerImage: 'extensions',
      osImageURL: undefined,
    })
    expect(problemsOf(decided({ osImages, release: '4.17.0' }))['os-image']).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-osimageurl: it is not of release 4.17.0, to which the cluster is upgrading; wait for the upgrade to update it',
    )
    expect(problemsOf(decided({ osImages: configMap({}) }))['os-image']).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-osimageurl: neither baseOSContainerImage nor osImageURL is set; set one of them',
    )
    const facts = { ...plainFacts.facts, baseOSContainerImage: given<string>('fcos') }
    expect(decided({ facts }).change.spec.baseOSContainerImage).toBe('fcos')
  })
})

describe('the pull secret', () => {
  const reference = { namespace: 'openshift-config', name: 'pull-secret' }

  it('is referenced if it exists, and always in OpenShift', () => {
    expect(decided({}).change.spec).not.toHaveProperty('pullSecret')
    expect(decided({ pullSecret: given({}) }).change.spec.pullSecret).toEqual(reference)
    expect(decided({ isOpenShift: true }).change.spec.pullSecret).toEqual(reference)
  })

  it('stays referenced when it is deleted', () => {
    const decision = decided({ stored: stored({ pullSecret: reference }) })
    expect(decision.change.spec).not.toHaveProperty('pullSecret')
  })
})

describe('the ConfigMap of the cluster', () => {
  const withFacts = (more: Partial<ClusterFacts['facts']>) => ({
    facts: { ...plainFacts.facts, ...more },
  })

  it('sets the certificate delivery and the container runtime', () => {
    const both = withFacts({
      certificateDelivery: given('rendered'),
      containerRuntime: given('containerd'),
    })
    expect(decided(both).change.annotations).toEqual({
      ...onKubernetes,
      'machinist.dev/certificate-delivery': 'rendered',
      'machinist.dev/container-runtime': 'containerd',
    })
    expect(decided({}).change.annotations).toEqual(onKubernetes)
    const wrong = withFacts({
      certificateDelivery: given('post'),
      containerRuntime: given('docker'),
    })
    const where = 'ConfigMap openshift-machine-config-operator/machinist-cluster, key'
    expect(problemsOf(decided(wrong))).toEqual({
      'certificate-delivery': `${where} certificateDelivery: invalid value; use direct or rendered`,
      'container-runtime': `${where} containerRuntime: invalid value; use crio or containerd`,
    })
    expect(decided(wrong).change.annotations).toEqual(onKubernetes)
  })

  it('is recorded while it has keys', () => {
    expect(decided({ configMap: configMap({ network: 'x' }) }).change.annotations).toEqual({
      ...onKubernetes,
      [remembered]: 'machinist-cluster',
    })
    expect(decided({ configMap: configMap({}) }).change.annotations).toEqual({
      ...onKubernetes,
      [remembered]: undefined,
    })
  })

  it('must not have unknown keys', () => {
    const decision = decided({ configMap: configMap({ netwrok: 'x', dns: 'y' }) })
    expect(problemsOf(decision)['cluster-facts']).toMatch(
      /^ConfigMap openshift-machine-config-operator\/machinist-cluster has unknown keys: netwrok; use infrastructure, network,/,
    )
  })
})
