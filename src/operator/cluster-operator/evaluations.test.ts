import { expect, it } from 'vitest'
import type { ContainerRuntimeConfig, KubeletConfig } from '../../api/kinds/resources.ts'
import { detectEvaluations } from './evaluations.ts'

const kubelet = (kubeletConfig: unknown): KubeletConfig => ({
  metadata: { name: 'a' },
  spec: { kubeletConfig } as KubeletConfig['spec'],
})
const runtime = (defaultRuntime?: 'crun' | 'runc'): ContainerRuntimeConfig =>
  ({
    metadata: { name: 'b' },
    spec: { ...(defaultRuntime && { containerRuntimeConfig: { defaultRuntime } }) },
  }) as ContainerRuntimeConfig

const swap = 'failswapon: KubeletConfig setting is currently unsupported by OpenShift'
const runc = 'runc: transition to default crun'

it.each<[string | undefined, readonly unknown[], readonly ContainerRuntimeConfig[]]>([
  [undefined, [], []],
  [undefined, [{ failSwapOn: true }, {}, null, 'text', undefined], [runtime(), runtime('crun')]],
  [swap, [{}, { failSwapOn: false }], []],
  [runc, [], [runtime('crun'), runtime('runc')]],
  [`${swap}::${runc}`, [{ failSwapOn: false }], [runtime('runc')]],
])('%s', (expected, kubelets, runtimes) => {
  expect(detectEvaluations(kubelets.map(kubelet), runtimes)).toBe(expected)
})
