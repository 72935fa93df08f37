import { isObject } from '@machinist/core/encoding/json'
import type { ContainerRuntimeConfig, KubeletConfig } from '../../api/kinds/resources.ts'

/** Settings that a later release may not support, in the format of the reason of EvaluationConditionsDetected. */
export function detectEvaluations(
  kubeletConfigs: readonly Readonly<KubeletConfig>[],
  runtimeConfigs: readonly Readonly<ContainerRuntimeConfig>[],
): string | undefined {
  const found = [
    ...(kubeletConfigs.some(toleratesSwap)
      ? ['failswapon: KubeletConfig setting is currently unsupported by OpenShift']
      : []),
    ...(runtimeConfigs.some(usesRunc) ? ['runc: transition to default crun'] : []),
  ]
  return found.length > 0 ? found.toSorted().join('::') : undefined
}

function toleratesSwap({ spec }: Readonly<KubeletConfig>): boolean {
  const settings: unknown = spec?.kubeletConfig
  return isObject(settings) && settings['failSwapOn'] === false
}

function usesRunc({ spec }: Readonly<ContainerRuntimeConfig>): boolean {
  return spec?.containerRuntimeConfig?.defaultRuntime === 'runc'
}
