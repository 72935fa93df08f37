import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { fileIn } from '../generated/base-file.ts'
import { configsByName } from '../generated/caches.ts'
import { decide } from './decide.ts'
import type { CredentialProvidersFacts, ProviderBase, ProviderFile } from './facts.ts'
import type { Provider } from './provider-file.ts'
import { parseProviders } from './provider-file.ts'

const cloudPath = '/etc/kubernetes/credential-providers/gcr-credential-provider.yaml'
const genericPath = '/etc/kubernetes/credential-providers/generic-credential-provider.yaml'
const dropinPath =
  '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf'

const gcr = {
  name: 'gcr-credential-provider',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  matchImages: ['gcr.io', '*.gcr.io', '*.pkg.dev', 'container.cloud.google.com'],
  defaultCacheDuration: '1m',
  args: ['get-credentials', '--v=3'],
}
const crio = (...matchImages: string[]) => ({
  name: 'crio-credential-provider',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  defaultCacheDuration: '1s',
  tokenAttributes: {
    serviceAccountTokenAudience: 'https://kubernetes.default.svc',
    cacheType: 'Token',
    requireServiceAccount: false,
  },
  matchImages,
})
const cloud = (...providers: Provider[]): ProviderFile => ({
  path: cloudPath,
  config: {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers,
  },
})
const facts = (
  matchImages: string[],
  bases: CredentialProvidersFacts['bases'],
): CredentialProvidersFacts => ({
  isLost: false,
  object: { metadata: { name: 'cluster' }, spec: { matchImages } },
  bases,
  stored: new Map(),
  maker: { version: '1.2.3', build: 'machinist-b' },
})
const decided = (matchImages: string[], base: ProviderBase) =>
  decide(facts(matchImages, new Map([['worker', base]])))
const textOf = (spec: MachineConfigSpec | undefined, path: string): string | undefined =>
  spec && fileIn({ metadata: { name: 'made' }, spec }, path)
const providersIn = (spec: MachineConfigSpec | undefined, path = cloudPath): unknown => {
  const text = textOf(spec, path)
  return text === undefined ? undefined : parseProviders(text, path).providers
}

describe('the MachineConfig of a pool', () => {
  it('has a file and a drop-in if the templates have no file', () => {
    const { specs, skipped } = decided(['quay.io', 'myhost.com'], { file: undefined })
    const spec = specs.get('worker')!
    expect(providersIn(spec, genericPath)).toEqual([crio('myhost.com', 'quay.io')])
    expect(textOf(spec, dropinPath)).toBe(
      `[Service]
Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=--image-credential-provider-bin-dir=/usr/libexec/kubelet-image-credential-provider-plugins --image-credential-provider-config=${genericPath}"
`,
    )
    expect(skipped).toEqual([])
  })

  it("extends the cloud's file by one provider", () => {
    const { specs, skipped } = decided(['myhost.com', 'quay.io'], { file: cloud(gcr) })
    expect(providersIn(specs.get('worker'))).toEqual([gcr, crio('myhost.com', 'quay.io')])
    expect(textOf(specs.get('worker'), dropinPath)).toBeUndefined()
    expect(skipped).toEqual([])
  })

  it('replaces the images of an existing provider', () => {
    const before = crio('docker.io', '*.example.io', 'quay.io', 'registry.example.com:5000')
    const { specs } = decided(['myhost.com'], { file: cloud(gcr, before) })
    expect(providersIn(specs.get('worker'))).toEqual([gcr, crio('myhost.com')])
  })

  it("excludes images that the cloud's provider covers", () => {
    const { specs, skipped } = decided(['gcr.io', 'myhost.com', '*.cloud.google.com', 'quay.io'], {
      file: cloud(gcr),
    })
    expect(providersIn(specs.get('worker'))).toEqual([gcr, crio('myhost.com', 'quay.io')])
    const provider = 'gcr-credential-provider'
    expect(skipped).toEqual([
      { image: '*.cloud.google.com', other: { provider, image: 'container.cloud.google.com' } },
      { image: 'gcr.io', other: { provider, image: 'gcr.io' } },
    ])
  })

  it("is not needed if the cloud's provider covers all images", () => {
    const all = ['gcr.io', '*.cloud.google.com', '*.gcr.io', '*.pkg.dev']
    const { specs, held, skipped } = decided(all, { file: cloud(gcr) })
    expect([specs.size, held]).toEqual([0, []])
    expect(skipped.map(({ image }) => image)).toEqual([
      '*.cloud.google.com',
      '*.gcr.io',
      '*.pkg.dev',
      'gcr.io',
    ])
  })

  it('excludes invalid patterns', () => {
    const { specs, skipped } = decided(['https://a.io', 'b.io'], { file: undefined })
    expect(providersIn(specs.get('worker'), genericPath)).toEqual([crio('b.io')])
    expect(skipped).toEqual([{ image: 'https://a.io' }])
  })

  it('is not needed without images', () => {
    expect(decide(facts([], new Map()))).toEqual({
      specs: new Map(),
      held: [],
      stale: [],
      skipped: [],
      problems: [],
      waits: [],
    })
  })

  it('is independent of other pools', () => {
    const bases = new Map<string, ProviderBase>([
      ['a', { waitsFor: 'its templates' }],
      ['b', { unreadable: 'it is no YAML' }],
      ['c', { unsupported: 'there is no CRI-O' }],
      ['d', { file: undefined }],
    ])
    const plan = decide(facts(['quay.io'], bases))
    expect([...plan.specs.keys()]).toEqual(['d'])
    expect(plan).toMatchObject({
      held: ['a', 'b'],
      waits: ['pool a waits for its templates'],
      problems: ['pool b: it is no YAML', 'pool c: there is no CRI-O'],
    })
  })

  it('is deleted if it is generated and its pool needs none', () => {
    const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
    const named = (of: string, build = 'machinist-a'): MachineConfig => ({
      metadata: {
        name: `97-${of}-generated-credentialproviderconfig`,
        annotations: { [generatedBy]: build },
      },
    })
    const stored = configsByName([named('a'), named('b'), named('c'), named('mine', '')])
    const bases = new Map<string, ProviderBase>([
      ['a', { waitsFor: 'its templates' }],
      ['b', { file: undefined }],
    ])
    expect(decide({ ...facts(['quay.io'], bases), stored }).stale).toEqual([named('c')])
    const unknown = { ...facts([], new Map()), object: undefined, stored }
    expect(decide(unknown).stale).toEqual([named('a'), named('b'), named('c')])
    expect(decide({ ...unknown, isLost: true }).stale).toEqual([])
  })

  it('has every image once, and other providers unchanged, for any images', () => {
    const image = fc
      .tuple(
        fc.constantFrom('gcr', 'a', '*'),
        fc.constantFrom('io', '*'),
        fc.constantFrom('', '/x'),
      )
      .map(([a, b, path]) => `${a}.${b}${path}`)
    const images = fc.array(fc.oneof(image, fc.constant('not a pattern')), { minLength: 1 })
    fc.assert(
      fc.property(images, images, (requested, theirs) => {
        const other = { name: 'other', matchImages: theirs }
        const { specs, skipped } = decided(requested, { file: cloud(other) })
        const [first = other, mine] = (providersIn(specs.get('worker')) ?? []) as Provider[]
        expect(first).toEqual(other)
        const used = mine?.matchImages ?? []
        const all = [...used, ...skipped.map((one) => one.image)]
        expect(all.sort()).toEqual([...new Set(requested)].sort())
        expect(used).toEqual([...used].sort())
        const again = decided(requested.toReversed(), { file: cloud(other, crio('old.io')) })
        expect(again.skipped).toEqual(skipped)
        expect(providersIn(again.specs.get('worker'))).toEqual(mine && [other, crio(...used)])
      }),
      { numRuns: 100 },
    )
  })
})
