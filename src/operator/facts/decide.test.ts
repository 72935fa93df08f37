import { describe, expect, it } from 'vitest'
import { bad, given, nothing, plainFacts, stored } from './example-facts.fixture.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Decision } from './decide.ts'
import { decide } from './decide.ts'

const decided = (facts: Partial<ClusterFacts>, versions = ours): Decision =>
  decide({ ...plainFacts, ...facts }, versions)

const ours = { version: '0.1.0', release: '4.16.3' }
const madeBy = 'machineconfiguration.openshift.io/generated-by-version'
const release = 'machineconfiguration.openshift.io/release-image-version'
const digests = 'machinist.dev/trust-digests'
const remembered = 'machinist.dev/cluster-facts'
const onKubernetes = { 'machinist.dev/distribution': 'kubernetes' }

const problemsOf = ({ reports }: Decision): Record<string, string | undefined> =>
  Object.fromEntries(
    reports.flatMap(({ input, problem }) => (problem ? [[input, problem.message]] : [])),
  )

const configMap = (data: Record<string, string>, name = 'x') =>
  given<never>({ metadata: { namespace: 'n', name }, data })

describe('a cluster about which nobody says anything', () => {
  it('has no platform, and a network that its own Service tells', () => {
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

describe('an input that cannot be used', () => {
  it.each([
    ['infrastructure', ['infra', 'platform', 'etcdDiscoveryDomain']],
    ['network', ['clusterDNSIP', 'ipFamilies', 'networkType', 'network']],
    ['proxy', ['proxy']],
    ['dns', ['dns']],
    ['cloudConfig', ['cloudProviderConfig']],
    ['releaseImages', ['images']],
    ['osImages', ['baseOSContainerImage', 'baseOSExtensionsContainerImage', 'osImageURL']],
  ])('such as %s leaves its own fields alone, and no others', (input, fields) => {
    const all = Object.keys(decided({}).change.spec)
    const decision = decided({ [input]: bad })
    const left = all.filter((field) => !fields.includes(field))
    expect(Object.keys(decision.change.spec)).toEqual(left)
    expect(Object.values(problemsOf(decision))).toEqual(['it cannot be read'])
  })
})

describe('who made it', () => {
  const whole = { [madeBy]: '0.0.9', [digests]: '{}' }

  it('is said as soon as the trust loop has written its part', () => {
    expect(decided({}).change.annotations).toEqual(onKubernetes)
    expect(decided({ stored: stored({}) }).change.annotations).toEqual(onKubernetes)
    expect(decided({ stored: stored({}, { [digests]: '{}' }) }).change.annotations).toEqual({
      ...onKubernetes,
      [madeBy]: '0.1.0',
      [release]: '4.16.3',
    })
  })

  it('is not said of a new one while something is missing', () => {
    const half = stored({}, { [digests]: '{}' })
    expect(decided({ stored: half, network: bad }).change.annotations).toEqual(onKubernetes)
  })

  it('is said of one that was whole before: what was good last is in it', () => {
    const { annotations } = decided({ stored: stored({}, whole), network: bad }).change
    expect(annotations).toEqual({ ...onKubernetes, [madeBy]: '0.1.0', [release]: '4.16.3' })
  })

  it('but not that it is of this release while the images cannot be read', () => {
    const { annotations } = decided({ stored: stored({}, whole), osImages: bad }).change
    expect(annotations).toEqual({ ...onKubernetes, [madeBy]: '0.1.0' })
  })

  it('stays as it is while the images are of another release: nodes would get the half of each', () => {
    const osImages = configMap({ releaseVersion: '4.15.0' })
    const facts = { osImages, release: '4.16.3' }
    const { change } = decided({ ...facts, stored: stored({}, whole) })
    expect(change.annotations).toEqual(onKubernetes)
    // What was said before the image changed stays true.
    const said = { ...whole, [madeBy]: '0.1.0' }
    expect(decided({ ...facts, stored: stored({}, said) }).change.annotations).toEqual({
      ...onKubernetes,
      [madeBy]: '0.1.0',
    })
  })
})

describe('the distribution', () => {
  const distribution = (facts: Partial<ClusterFacts>): string | null | undefined =>
    decided(facts).change.annotations['machinist.dev/distribution']

  it('is OpenShift where the API serves ClusterVersion, whatever describes the platform', () => {
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
  const absent = 'ConfigMap openshift-config-managed/kube-cloud-config is missing: platform'
  const keyless =
    'ConfigMap openshift-config-managed/kube-cloud-config lacks the key cloud.conf: platform'

  it.each([
    ['absent', nothing, platform('None'), '', undefined],
    ['absent', nothing, platform('AWS'), '', undefined],
    ['absent', nothing, platform('AWS', 'named'), undefined, `${absent} AWS needs it`],
    ['absent', nothing, platform('Azure'), undefined, `${absent} Azure needs it`],
    ['keyless', configMap({}), platform('VSphere'), undefined, `${keyless} VSphere needs it`],
    ['keyless', configMap({}), platform('AWS', 'named'), '', undefined],
    ['there', configMap({ 'cloud.conf': 'x=1' }), platform('GCP'), 'x=1', undefined],
    ['there', configMap({ 'cloud.conf': 'x=1' }), platform('None'), 'x=1', undefined],
  ])('that is %s (%j, %j) is %j', (_, cloudConfig, infrastructure, expected, problem) => {
    const decision = decided({ cloudConfig, infrastructure })
    expect(decision.change.spec.cloudProviderConfig).toBe(expected)
    expect(problemsOf(decision)['cloud-config']).toBe(problem)
  })

  it('goes by the last known platform when that cannot be read', () => {
    const infra = { spec: {}, status: { platformStatus: { type: 'Azure' } } } as never
    const decision = decided({ infrastructure: bad, stored: stored({ infra }) })
    expect(problemsOf(decision)['cloud-config']).toBe(`${absent} Azure needs it`)
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
  }
  const ofRelease = (text: string) => configMap({ 'images.json': text })

  it('of the release get the names that templates know', () => {
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
    })
  })

  it.each([
    [ofRelease('{'), 'it must be JSON with an image for each name'],
    [ofRelease('{"a":1}'), 'it must be JSON with an image for each name'],
    [configMap({}), 'it must be JSON with an image for each name'],
    [
      ofRelease('{"releaseVersion":"4.15.0"}'),
      'it is of another release than 4.16.3, to which the cluster goes',
    ],
  ])('%j cannot be used', (releaseImages, message) => {
    const where =
      'ConfigMap openshift-machine-config-operator/machine-config-operator-images, key images.json'
    const decision = decided({ releaseImages, release: '4.16.3' })
    expect(problemsOf(decision)).toEqual({ images: `${where}: ${message}` })
    expect(decision.change.spec).not.toHaveProperty('images')
  })

  it('are missing on OpenShift, and are what the ConfigMap says elsewhere', () => {
    expect(problemsOf(decided({ isOpenShift: true }))).toEqual({
      images:
        'ConfigMap openshift-machine-config-operator/machine-config-operator-images is gone: it comes with the release',
      'os-image':
        'ConfigMap openshift-machine-config-operator/machine-config-osimageurl is gone: it comes with the release',
    })
    const facts = { ...plainFacts.facts, images: given({ infraImageKey: 'pause' }) }
    expect(decided({ facts }).change.spec.images).toEqual({ infraImageKey: 'pause' })
    const wrong = { ...plainFacts.facts, images: given(['pause']) }
    expect(problemsOf(decided({ facts: wrong })).images).toBe(
      'ConfigMap openshift-machine-config-operator/machinist-cluster, key images: it must give an image for each name',
    )
  })

  it('stay as they are while nobody knows whether this is OpenShift', () => {
    const decision = decided({ isOpenShift: undefined })
    expect(Object.keys(problemsOf(decision))).toEqual(['images', 'os-image'])
    expect(problemsOf(decision)['images']).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-operator-images is not there, and the API does not say whether it has to be: see to it that the operator may list and watch clusterversions.config.openshift.io',
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
      'ConfigMap openshift-machine-config-operator/machine-config-osimageurl: it is of another release than 4.17.0, to which the cluster goes',
    )
    expect(problemsOf(decided({ osImages: configMap({}) }))['os-image']).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-osimageurl: neither baseOSContainerImage nor osImageURL says which operating system nodes run',
    )
    const facts = { ...plainFacts.facts, baseOSContainerImage: given<string>('fcos') }
    expect(decided({ facts }).change.spec.baseOSContainerImage).toBe('fcos')
  })
})

describe('the pull secret', () => {
  const reference = { namespace: 'openshift-config', name: 'pull-secret' }

  it('is named where it is, and always on OpenShift', () => {
    expect(decided({}).change.spec).not.toHaveProperty('pullSecret')
    expect(decided({ pullSecret: given({}) }).change.spec.pullSecret).toEqual(reference)
    expect(decided({ isOpenShift: true }).change.spec.pullSecret).toEqual(reference)
  })

  it('stays named when it goes away', () => {
    const decision = decided({ stored: stored({ pullSecret: reference }) })
    expect(decision.change.spec).not.toHaveProperty('pullSecret')
  })
})

describe('the ConfigMap of the cluster', () => {
  const say = (more: Partial<ClusterFacts['facts']>) => ({
    facts: { ...plainFacts.facts, ...more },
  })

  it('chooses how certificates are delivered and what runs containers', () => {
    const both = say({
      certificateDelivery: given('rendered'),
      containerRuntime: given('containerd'),
    })
    expect(decided(both).change.annotations).toEqual({
      ...onKubernetes,
      'machinist.dev/certificate-delivery': 'rendered',
      'machinist.dev/container-runtime': 'containerd',
    })
    expect(decided({}).change.annotations).toEqual(onKubernetes)
    const wrong = say({ certificateDelivery: given('post'), containerRuntime: given('docker') })
    const where = 'ConfigMap openshift-machine-config-operator/machinist-cluster, key'
    expect(problemsOf(decided(wrong))).toEqual({
      'certificate-delivery': `${where} certificateDelivery: it must be direct or rendered`,
      'container-runtime': `${where} containerRuntime: it must be crio or containerd`,
    })
    expect(decided(wrong).change.annotations).toEqual(onKubernetes)
  })

  it('is remembered for as long as it says anything', () => {
    expect(decided({ configMap: configMap({ network: 'x' }) }).change.annotations).toEqual({
      ...onKubernetes,
      [remembered]: 'machinist-cluster',
    })
    expect(decided({ configMap: configMap({}) }).change.annotations).toEqual({
      ...onKubernetes,
      [remembered]: undefined,
    })
  })

  it('has no keys that nobody reads', () => {
    const decision = decided({ configMap: configMap({ netwrok: 'x', dns: 'y' }) })
    expect(problemsOf(decision)['cluster-facts']).toMatch(
      /^ConfigMap openshift-machine-config-operator\/machinist-cluster has keys that nobody reads: netwrok; those that are read are infrastructure, network,/,
    )
  })
})
