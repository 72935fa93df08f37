import { isObject } from '@machinist/core/encoding/json'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import { nodePaths, dropinPath } from '../../api/node-paths.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import type { GeneratedFile } from '../generated/files-spec.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { kubeletConfText, without } from '../kubelet-defaults/kubelet-conf.ts'
import { tlsSettings } from '../kubelet-defaults/tls-profile.ts'
import type { MergeResult } from '../node-settings/settings-kind.ts'
import { readFragment } from './fragment.ts'
import { ruleProblems } from './merged-rules.ts'
import type { NodeSizing } from './node-sizing.ts'
import { addSizing, unsetSizing, sizingText, withoutSizing } from './node-sizing.ts'

/** The result of applying objects in order. */
export interface MergedKubelet {
  readonly conf: KubeletConf
  readonly sizing: NodeSizing
  readonly logLevel: number | undefined
}

/** Applies objects in order to the base kubelet.conf; later objects win. */
export function mergeKubeletConfigs(
  objects: readonly Readonly<KubeletConfig>[],
  base: KubeletConf,
): MergeResult {
  const initial: MergedKubelet = { conf: base, sizing: unsetSizing, logLevel: undefined }
  const all = objects.reduce(applyKubeletConfig, initial)
  const conf = withReservedCpus(all.conf)
  const problems = ruleProblems(conf)
  if (problems.length > 0) {
    const message = `kubelets would not start: ${problems.join('; ')}; correct these fields`
    return { problem: { reason: nodeSettingsReasons.badSettings, message } }
  }
  return { spec: filesSpec(filesOf({ ...all, conf })) }
}

/** Changes exactly the fields that the object sets, also to false, zero or an empty value; null removes a field. */
export function applyKubeletConfig(
  before: MergedKubelet,
  object: Readonly<KubeletConfig>,
): MergedKubelet {
  const { tlsSecurityProfile, logLevel, autoSizingReserved } = object.spec ?? {}
  const read = readFragment(object)
  const fragment = typeof read === 'string' ? {} : withoutForbidden(read)
  const tls = isObject(tlsSecurityProfile) ? tlsSettings(tlsSecurityProfile).conf : {}
  const merged = mergeOver(mergeOver(before.conf, tls), withoutSizing(fragment))
  return {
    conf: enforcesNothingOfSystem(fragment) ? without(merged, 'systemReservedCgroup') : merged,
    sizing: addSizing(before.sizing, fragment, autoSizingReserved),
    logLevel: logLevel ?? before.logLevel,
  }
}

function filesOf({ conf, sizing, logLevel }: MergedKubelet): GeneratedFile[] {
  const reserved = sizingText(sizing, conf)
  const files: GeneratedFile[] = [{ path: nodePaths.kubeletConf, text: kubeletConfText(conf) }]
  if (reserved !== undefined) files.push({ path: nodePaths.nodeSizing, text: reserved })
  if (logLevel !== undefined) {
    files.push({
      path: dropinPath('kubelet.service', '20-logging.conf'),
      text: `[Service]\nEnvironment="KUBELET_LOG_LEVEL=${logLevel}"\n`,
    })
  }
  return files
}

/** Fields that the cluster sets. As in MCO, empty values are accepted and ignored. */
const clusterFields = [
  'apiVersion',
  'kind',
  'cgroupDriver',
  'clusterDNS',
  'clusterDomain',
  'featureGates',
  'failSwapOn',
  'memorySwap',
]

function withoutForbidden(fragment: KubeletConf): KubeletConf {
  return clusterFields.reduce(without, fragment)
}

/** Whether the object sets enforceNodeAllocatable without system-reserved: then the system cgroup must not be enforced. */
function enforcesNothingOfSystem({
  enforceNodeAllocatable,
  systemReservedCgroup,
}: KubeletConf): boolean {
  if (!Array.isArray(enforceNodeAllocatable) || enforceNodeAllocatable.length === 0) return false
  return !systemReservedCgroup && !enforceNodeAllocatable.some(isOfSystem)
}

/** A kubelet rejects reservedSystemCPUs together with enforcement of the system cgroup. */
export function withReservedCpus(conf: KubeletConf): KubeletConf {
  if (!conf['reservedSystemCPUs']) return conf
  const listed = conf['enforceNodeAllocatable']
  const enforced = Array.isArray(listed) ? listed.filter((one) => !isOfSystem(one)) : []
  const hasPods = enforced.includes('pods') || enforced.includes('none')
  return {
    ...without(conf, 'systemReservedCgroup'),
    enforceNodeAllocatable: hasPods ? enforced : ['pods', ...enforced],
  }
}

const isOfSystem = (one: unknown): boolean =>
  one === 'system-reserved' || one === 'system-reserved-compressible'

const mergeOver = (conf: KubeletConf, part: KubeletConf): KubeletConf =>
  applyMergePatch(conf, part) as KubeletConf
