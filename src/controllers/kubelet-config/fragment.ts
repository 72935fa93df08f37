import { isObject } from '@machinist/core/encoding/json'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { describeValue } from '../kubelet-defaults/describe-value.ts'

/** Deeper than any field of a KubeletConfiguration. */
const deepest = 16

/** The part of a KubeletConfiguration in an object, or why it is invalid. */
export function readFragment({ spec }: Readonly<KubeletConfig>): KubeletConf | string {
  const fragment: unknown = spec?.kubeletConfig ?? {}
  if (!isObject(fragment)) return `spec.kubeletConfig: ${describeValue(fragment)} is not an object`
  return isDeep(fragment) ? 'spec.kubeletConfig: nested too deeply' : fragment
}

/** Breadth-first, so that deep nesting does not overflow the stack. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  }
  return false
}
