import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { kubeletSkew } from './kubelet-skew.ts'

const apiServer = (version?: string): ClusterOperator => ({
  metadata: { name: 'kube-apiserver' },
  spec: {},
  status: {
    versions: [
      { name: 'operator', version: '4.16.0' },
      ...(version === undefined ? [] : [{ name: 'kube-apiserver', version }]),
    ],
  },
})
const pools: MachineConfigPool[] = [
  { metadata: { name: 'worker' }, spec: { nodeSelector: { matchLabels: { role: 'worker' } } } },
  { metadata: { name: 'none' }, spec: {} },
  {
    metadata: { name: 'broken' },
    spec: { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
  },
]
const node = (name: string, kubeletVersion: string, role = 'worker'): Node => ({
  metadata: { name, labels: { role } },
  status: { nodeInfo: { kubeletVersion } as NonNullable<Node['status']>['nodeInfo'] & object },
})

describe('old kubelets', () => {
  const reasonOf = (version: string, ...nodes: Node[]): string | undefined =>
    kubeletSkew(apiServer(version), pools, nodes)?.reason

  it.each([
    ['1.29.0', 'v1.29.1+6143dea', undefined],
    ['1.29.0', 'v1.28.9', undefined],
    ['1.29.0', 'v1.30.0', undefined],
    ['1.29.0', 'v1.27.0-rc.0+6143dea', 'KubeletSkewPresent'],
    ['1.29.0', 'v1.26.4', 'KubeletSkewUnsupported'],
    ['1.29.0-rc.0', '1.19.0', 'KubeletSkewUnsupported'],
    ['1.29.0', 'fresh', 'KubeletSkewUnchecked'],
    ['1.29.0', '', 'KubeletSkewUnchecked'],
    ['newest', 'v1.29.1', 'KubeletSkewUnchecked'],
    ['', 'v1.29.1', 'KubeletSkewUnchecked'],
  ])('API server %s, kubelet %s: %s', (version, kubelet, reason) => {
    expect(reasonOf(version, node('a', kubelet))).toBe(reason)
  })

  it('are named, with what to do', () => {
    const nodes = ['e', 'd', 'c', 'b', 'a'].map((name) => node(name, 'v1.26.0'))
    expect(kubeletSkew(apiServer('1.29.3'), pools, nodes)).toEqual({
      reason: 'KubeletSkewUnsupported',
      message:
        'the kubelets of a, b, c and 2 more are too old for API server 1.29.3: update these nodes to 1.27 or newer',
    })
    expect(kubeletSkew(apiServer('1.29.3'), pools, [node('a', 'v1.27.0')])).toEqual({
      reason: 'KubeletSkewPresent',
      message:
        'the kubelets of a are too old for an API server newer than 1.29.3: update these nodes before the next upgrade',
    })
    expect(kubeletSkew(apiServer(), pools, [node('a', 'v1.27.0')])).toEqual({
      reason: 'KubeletSkewUnchecked',
      message:
        'cannot check the version skew of kubelets: ClusterOperator kube-apiserver does not report its version yet',
    })
  })

  it('count only in pools', () => {
    expect(reasonOf('1.29.0', node('a', 'v1.29.0'), node('b', 'v1.20.0', 'other'))).toBeUndefined()
  })

  it('are not reported without the ClusterOperator of the API server', () => {
    expect(kubeletSkew(undefined, pools, [node('a', 'v1.2.0')])).toBeUndefined()
  })

  it('are evaluated by the oldest, in any order', () => {
    const minor = fc.integer({ min: 20, max: 35 })
    fc.assert(
      fc.property(minor, fc.array(minor, { minLength: 1, maxLength: 6 }), (api, kubelets) => {
        const nodes = kubelets.map((one, i) => node(`n${i}`, `v1.${one}.0`))
        const behind = api - Math.min(...kubelets)
        const expected =
          behind > 2 ? 'KubeletSkewUnsupported' : behind === 2 ? 'KubeletSkewPresent' : undefined
        expect(reasonOf(`1.${api}.0`, ...nodes)).toBe(expected)
      }),
    )
  })
})
