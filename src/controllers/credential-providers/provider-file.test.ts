import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { noProviders, parseProviders, providersText, withCrioProvider } from './provider-file.ts'

const where = 'file'
const ofCloud = `
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: acr-credential-provider
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ['*.azurecr.io']
    defaultCacheDuration: 10m
    args: [/etc/kubernetes/cloud.conf]
`

describe('the credential provider file', () => {
  it("has only CRI-O's provider if there is no other", () => {
    expect(providersText(withCrioProvider(noProviders, ['*.example.com', 'quay.io'])))
      .toBe(`apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: crio-credential-provider
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    defaultCacheDuration: 1s
    tokenAttributes:
      serviceAccountTokenAudience: https://kubernetes.default.svc
      cacheType: Token
      requireServiceAccount: false
    matchImages:
      - "*.example.com"
      - quay.io
`)
  })

  it('keeps other providers', () => {
    const before = parseProviders(ofCloud, where)
    const { providers, ...rest } = parseProviders(
      providersText(withCrioProvider(before, ['quay.io'])),
      where,
    )
    expect(rest).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1',
      kind: 'CredentialProviderConfig',
    })
    expect(providers).toMatchObject([
      {
        name: 'acr-credential-provider',
        matchImages: ['*.azurecr.io'],
        defaultCacheDuration: '10m',
        args: ['/etc/kubernetes/cloud.conf'],
      },
      { name: 'crio-credential-provider', matchImages: ['quay.io'] },
    ])
  })

  it('changes only the images of an existing provider', () => {
    const mine = { name: 'crio-credential-provider', matchImages: ['old.io'], args: ['x'] }
    const last = { name: 'last', matchImages: ['z.io'] }
    expect(withCrioProvider({ providers: [mine, last] }, ['new.io'])).toEqual({
      providers: [{ ...mine, matchImages: ['new.io'] }, last],
    })
  })

  it.each([
    ['no YAML', '{'],
    ['no object', '[]'],
    ['no providers', 'kind: CredentialProviderConfig'],
    ['a provider without a name', 'providers: [{ matchImages: [a] }]'],
    ['a provider without images', 'providers: [{ name: a }]'],
    ['an image that is not a string', 'providers: [{ name: a, matchImages: [1] }]'],
  ])('is rejected with %s', (_, text) => {
    expect(() => parseProviders(text, where)).toThrow(InvalidInput)
  })

  it('is read or rejected for any content', () => {
    const outcome = (text: string): string => {
      try {
        return Array.isArray(parseProviders(text, where).providers) ? 'read' : 'misread'
      } catch (error) {
        if (error instanceof InvalidInput) return 'refused'
        throw error
      }
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(outcome(text)).toMatch(/^(?:read|refused)$/)
      }),
      { numRuns: 200 },
    )
  })
})
