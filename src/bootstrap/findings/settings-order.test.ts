import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/kinds/resources.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { problemText } from '../manifests/manifest.ts'
import { orderProblems } from './settings-order.ts'

const pools: MachineConfigPool[] = ['master', 'worker', 'infra'].map((name) => ({
  metadata: { name, labels: { pool: name, of: name === 'master' ? 'us' : 'them' } },
  spec: {},
}))
const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const settings = (
  name: string,
  matchLabels: Record<string, string>,
  order?: string,
  resource: Manifest['resource'] = kubeletConfigs,
): Manifest => ({
  resource,
  file: `${name}.yaml`,
  object: {
    metadata: { name, ...(order !== undefined && { annotations: { [suffix]: order } }) },
    spec: { machineConfigPoolSelector: { matchLabels } },
  },
})
const problems = (...manifests: Manifest[]): string[] =>
  orderProblems(manifests, pools).map(problemText)

describe('several objects of a kind in one pool', () => {
  it('are a problem, because the order of their creation is unknown', () => {
    expect(problems(settings('a', { pool: 'worker' }), settings('b', { of: 'them' }))).toEqual([
      `b.yaml: KubeletConfig a and KubeletConfig b select pool worker, and the order of their creation decides which one has priority; combine them in one object, or set annotation ${suffix} on each: "" for the first, then "1" to "9"`,
    ])
  })

  it('are reported once if they share several pools', () => {
    expect(problems(settings('a', { of: 'them' }), settings('b', { of: 'them' }))).toHaveLength(1)
  })

  it('are no problem in different pools, of different kinds, or with an order', () => {
    const worker = { pool: 'worker' }
    expect(problems(settings('a', worker), settings('b', { pool: 'infra' }))).toEqual([])
    const runtime = settings('b', worker, undefined, containerRuntimeConfigs)
    expect(problems(settings('a', worker), runtime)).toEqual([])
    expect(problems(settings('a', worker, ''), settings('b', worker, '1'))).toEqual([])
  })

  it('need different and valid positions', () => {
    const worker = { pool: 'worker' }
    expect(problems(settings('a', worker, '1'), settings('b', worker, '1'))).toHaveLength(1)
    expect(problems(settings('a', worker, ''), settings('b', worker))).toHaveLength(1)
    expect(problems(settings('a', worker, ''), settings('b', worker, 'x'))).toHaveLength(1)
  })
})
