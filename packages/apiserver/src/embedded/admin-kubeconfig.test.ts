import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { adminKubeconfig } from './admin-kubeconfig.ts'

const access = { server: 'https://127.0.0.1:1', ca: 'old', token: 't', context: 'machinist' }
const first = `apiVersion: v1
kind: Config
current-context: machinist
contexts:
  - name: machinist
    context:
      cluster: machinist
      user: machinist
clusters:
  - name: machinist
    cluster:
      server: https://127.0.0.1:1
      certificate-authority-data: b2xk
users:
  - name: machinist
    user:
      token: t
`

describe("the administrator's kubeconfig", () => {
  it('has the server, its CA, and a token', () => {
    expect(adminKubeconfig(access)).toBe(first)
  })

  it('uses the chosen context name for all entries', () => {
    expect(adminKubeconfig({ ...access, context: 'trial' })).toBe(
      first.replaceAll('machinist', 'trial'),
    )
  })

  it('keeps entries of other tools', () => {
    const own = first
      .replace('current-context: machinist', 'current-context: other\npreferences: {colors: true}')
      .replace('user: machinist', 'user: machinist\n      namespace: shop')
      .replace(
        'clusters:\n',
        'clusters:\n  - name: other\n    cluster: {server: https://b, certificate-authority-data: b2xk}\n',
      )
      .replace('token: t', 'token: t\n      as: somebody')
    expect(adminKubeconfig({ ...access, ca: 'new' }, own)).toBe(`apiVersion: v1
kind: Config
current-context: other
preferences:
  colors: true
contexts:
  - name: machinist
    context:
      cluster: machinist
      user: machinist
      namespace: shop
clusters:
  - name: other
    cluster:
      server: https://b
      certificate-authority-data: b2xk
  - name: machinist
    cluster:
      server: https://127.0.0.1:1
      certificate-authority-data: bmV3
users:
  - name: machinist
    user:
      token: t
      as: somebody
`)
  })

  it('is replaced if it is damaged', () => {
    expect(adminKubeconfig(access, '{')).toBe(first)
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ clusters: fc.jsonValue(), users: fc.jsonValue() }).map(toYaml),
    )
    const own = { name: 'machinist', cluster: { server: 'https://127.0.0.1:1' } }
    fc.assert(
      fc.property(text, (before) => {
        const found = parseYaml(adminKubeconfig(access, before), 'kubeconfig')
        expect(found).toMatchObject({ clusters: expect.arrayContaining([]) as unknown[] })
        const { clusters } = found as { clusters: object[] }
        expect(clusters).toContainEqual(expect.objectContaining({ name: own.name }))
        expect(adminKubeconfig(access, adminKubeconfig(access, before))).toBe(
          adminKubeconfig(access, before),
        )
      }),
      { numRuns: 100 },
    )
  })
})
