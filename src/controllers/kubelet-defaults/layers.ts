import { sameJson } from '@machinist/core/encoding/json'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { nodePaths } from '../../api/node-paths.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import type { KubeletConf } from './kubelet-conf.ts'
import { kubeletConfText } from './kubelet-conf.ts'
import type { KubeletDefaults } from './role-defaults.ts'

type LayerNumber = '97' | '98'

/** `97-<pool>-generated-kubelet` for Node and APIServer; `98-…` for feature gates. */
export const layerName = (digits: LayerNumber, pool: string): string =>
  `${digits}-${pool}-generated-kubelet`

const layerPattern = /^9[78]-.+-kubelet$/

/** Whether a MachineConfig may be a layer, under a current or old name. */
export const isLayer = (name: string): boolean => layerPattern.test(name)

/** The names of the layers of a pool, current and old ones. */
export function layerNames({ name, pool }: PoolSettings): string[] {
  const uid = pool.metadata.uid ?? ''
  const numbers: readonly LayerNumber[] = ['97', '98']
  return numbers.flatMap((digits) => [layerName(digits, name), `${digits}-${name}-${uid}-kubelet`])
}

/** The MachineConfig of the templates with the kubelet configuration of a role. */
export const kubeletBase = (role: string): string => `01-${role}-kubelet`

/** The two MachineConfigs of a pool; empty ones are omitted. */
export function layersOf(
  { base, node, features, kernelArguments }: KubeletDefaults,
  isBuiltIn: boolean,
): { readonly node?: MachineConfigSpec; readonly features?: MachineConfigSpec } {
  const kernel = isBuiltIn && kernelArguments.length > 0 ? [...kernelArguments] : undefined
  const hasNode = !sameJson(node, base)
  return {
    ...((hasNode || kernel) && {
      node: { ...specOf(hasNode ? node : undefined), ...(kernel && { kernelArguments: kernel }) },
    }),
    ...(!sameJson(features, node) && { features: specOf(features) }),
  }
}

function specOf(conf: KubeletConf | undefined): MachineConfigSpec {
  return filesSpec(conf ? [{ path: nodePaths.kubeletConf, text: kubeletConfText(conf) }] : [])
}
