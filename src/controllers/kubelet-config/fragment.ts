import type { KubeletConfig } from '../../api/resources.ts'
import { isObject } from '@machinist/core/json'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { shown } from '../kubelet-defaults/shown.ts'

/** Deeper than any field of a kubelet's is. */
const deepest = 16

/** The part of a KubeletConfiguration that an object gives, or why there is none to be had. */
export function readFragment({ spec }: Readonly<KubeletConfig>): KubeletConf | string {
  const fragment: unknown = spec?.kubeletConfig ?? {}
  if (!isObject(fragment)) return `spec.kubeletConfig: ${shown(fragment)} is no object`
  return isDeep(fragment) ? 'spec.kubeletConfig: is nested too deeply' : fragment
}

/** Level by level: however deep it is, it takes no more stack. */
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
