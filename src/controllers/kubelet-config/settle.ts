import { nodePaths, dropinPath } from '../../api/node-paths.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { KubeletConfig } from '../../api/resources.ts'
import { isObject } from '@machinist/core/json'
import { applyMergePatch } from '@machinist/core/merge-patch'
import type { GeneratedFile } from '../generated/files-spec.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { kubeletConfText, without } from '../kubelet-defaults/kubelet-conf.ts'
import { tlsSettings } from '../kubelet-defaults/tls-profile.ts'
import type { Settlement } from '../node-settings/settings-kind.ts'
import { readFragment } from './fragment.ts'
import { ruleProblems } from './merged-rules.ts'
import type { NodeSizing } from './node-sizing.ts'
import { addSizing, nobodySaid, sizingText, withoutSizing } from './node-sizing.ts'

/** What objects come to, one after the other. */
export interface Settled {
  readonly conf: KubeletConf
  readonly sizing: NodeSizing
  readonly logLevel: number | undefined
}

/** Objects in order, on top of what kubelet.conf is without any of them; the last one has the last word. */
export function settle(objects: readonly Readonly<KubeletConfig>[], base: KubeletConf): Settlement {
  const begin: Settled = { conf: base, sizing: nobodySaid, logLevel: undefined }
  const all = objects.reduce(lay, begin)
  const conf = withReservedCpus(all.conf)
  const problems = ruleProblems(conf)
  if (problems.length > 0) {
    const message = `kubelets would not start: ${problems.join('; ')}`
    return { problem: { reason: nodeSettingsReasons.badSettings, message } }
  }
  return { spec: filesSpec(filesOf({ ...all, conf })) }
}

/** What one object changes: exactly the fields that it sets, also to false, zero or nothing; null takes one away. */
export function lay(before: Settled, object: Readonly<KubeletConfig>): Settled {
  const { tlsSecurityProfile, logLevel, autoSizingReserved } = object.spec ?? {}
  const read = readFragment(object)
  const fragment = typeof read === 'string' ? {} : withoutForbidden(read)
  const tls = isObject(tlsSecurityProfile) ? tlsSettings(tlsSecurityProfile).conf : {}
  const merged = over(over(before.conf, tls), withoutSizing(fragment))
  return {
    conf: leavesSystemAlone(fragment) ? without(merged, 'systemReservedCgroup') : merged,
    sizing: addSizing(before.sizing, fragment, autoSizingReserved),
    logLevel: logLevel ?? before.logLevel,
  }
}

function filesOf({ conf, sizing, logLevel }: Settled): GeneratedFile[] {
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

/** These are for the cluster to say. Set to nothing they pass, as in the original, and mean nothing. */
const clusters = [
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
  return clusters.reduce(without, fragment)
}

/** Who lists what to enforce, and nothing of the system in it, does not want the system's cgroup to be enforced. */
function leavesSystemAlone({ enforceNodeAllocatable, systemReservedCgroup }: KubeletConf): boolean {
  if (!Array.isArray(enforceNodeAllocatable) || enforceNodeAllocatable.length === 0) return false
  return !systemReservedCgroup && !enforceNodeAllocatable.some(isOfSystem)
}

/** CPUs that are set aside leave no room for limits of the system's cgroup: a kubelet refuses both together. */
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

const over = (conf: KubeletConf, part: KubeletConf): KubeletConf =>
  applyMergePatch(conf, part) as KubeletConf
