import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { pools } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import { isObject, sameJson } from '@machinist/core/json'
import { filesSpec } from '../generated/files-spec.ts'
import { featureGatesOf } from './feature-gates.ts'
import type { KubeletConf } from './kubelet-conf.ts'
import { kubeletConfText } from './kubelet-conf.ts'
import { kernelArgumentsOf, latencyOf } from './node-config.ts'
import { tlsSettings } from './tls-profile.ts'

/** What a MachineConfig that we made before says. */
export interface StoredLayer {
  /** Undefined where it has no kubelet.conf. */
  readonly conf: KubeletConf | undefined
  readonly kernelArguments: readonly string[]
}

/** All that is known about the kubelets of a role before any KubeletConfig. */
export interface DefaultsFacts {
  readonly role: string
  /** kubelet.conf from the templates. */
  readonly base: KubeletConf
  readonly node?: Readonly<NodeConfig> | undefined
  readonly apiServer?: Readonly<APIServer> | undefined
  readonly featureGate?: Readonly<FeatureGate> | undefined
  /** Which release the cluster has, as feature gates count them. */
  readonly release?: string | undefined
  /** Kinds that were served before and are not now: nobody knows what became of their objects. */
  readonly lost?: ReadonlySet<DefaultsProblem['kind']>
  /** What is stored of the role's two layers. */
  readonly stored: {
    readonly node?: StoredLayer | undefined
    readonly features?: StoredLayer | undefined
  }
}

/** What the cluster says and cannot be used; what was good before goes on meanwhile. */
export interface DefaultsProblem {
  readonly kind: 'Node' | 'FeatureGate' | 'APIServer'
  readonly message: string
  readonly isProhibited: boolean
}

export interface KubeletDefaults {
  readonly base: KubeletConf
  /** With what Node and APIServer say: 97. */
  readonly node: KubeletConf
  /** And with feature gates: 98. KubeletConfigs lie on it. */
  readonly features: KubeletConf
  /** For nodes of built-in pools. */
  readonly kernelArguments: readonly string[]
  readonly problems: readonly DefaultsProblem[]
}

/** Each setting by itself: one that cannot be used stays as it is stored, and holds back no other. */
export function kubeletDefaults(facts: DefaultsFacts): KubeletDefaults {
  const { base } = facts
  const problems = [...(facts.lost ?? [])].map((kind) => mistake(kind, notServed))
  const node: KubeletConf = {
    ...base,
    ...latencyIn(facts, problems),
    ...tlsIn(facts, problems),
  }
  const gates = gatesIn(facts, problems)
  const known = isObject(base['featureGates']) ? base['featureGates'] : {}
  const features =
    Object.keys(gates).length > 0 ? { ...node, featureGates: { ...known, ...gates } } : node
  return { base, node, features, kernelArguments: kernelArgumentsIn(facts, problems), problems }
}

/** The two MachineConfigs of a pool; those that would say nothing are not made. */
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

/** Only workers: what watches over the control plane does not wait longer for it. */
function latencyIn(
  { role, base, node, lost, stored }: DefaultsFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  if (role !== pools.worker) return {}
  if (lost?.has('Node')) return picked(stored.node?.conf, ['nodeStatusUpdateFrequency'])
  if (!node) return {}
  const before = stored.node && { stored: textOf(stored.node.conf?.['nodeStatusUpdateFrequency']) }
  const latency = latencyOf(node, before, textOf(base['nodeStatusUpdateFrequency']))
  const isRefused = typeof latency === 'object'
  if (isRefused) problems.push({ kind: 'Node', ...latency })
  const nodeStatusUpdateFrequency = isRefused ? before?.stored : latency
  return nodeStatusUpdateFrequency === undefined ? {} : { nodeStatusUpdateFrequency }
}

function tlsIn(
  { apiServer, lost, stored }: DefaultsFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  const asStored = (): KubeletConf =>
    picked(stored.node?.conf, ['tlsMinVersion', 'tlsCipherSuites'])
  if (lost?.has('APIServer')) return asStored()
  const profile = apiServer?.spec?.tlsSecurityProfile
  if (!isObject(profile)) return {}
  const { conf, problems: wrong } = tlsSettings(profile)
  if (wrong.length === 0) return conf
  problems.push(
    ...wrong.map((problem) => mistake('APIServer', `spec.tlsSecurityProfile.${problem}`)),
  )
  return asStored()
}

function gatesIn(
  { featureGate, release, lost, stored }: DefaultsFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  if (!lost?.has('FeatureGate')) {
    const gates = featureGate ? featureGatesOf(featureGate, release) : {}
    if (typeof gates !== 'string') return gates
    problems.push(mistake('FeatureGate', gates))
  }
  const before = stored.features?.conf?.['featureGates']
  return isObject(before) ? before : {}
}

function kernelArgumentsIn(
  { node, lost, stored }: DefaultsFacts,
  problems: DefaultsProblem[],
): readonly string[] {
  if (lost?.has('Node')) return stored.node?.kernelArguments ?? []
  const wanted = node ? kernelArgumentsOf(node) : []
  if (!('message' in wanted)) return wanted
  problems.push({ kind: 'Node', ...wanted })
  return stored.node?.kernelArguments ?? []
}

/** To take what is no longer seen for removed would change every node. */
const notServed =
  'the API server no longer serves this kind, and nobody knows what became of it; install the kind again, or restart this controller if it was removed on purpose'

const mistake = (kind: DefaultsProblem['kind'], message: string): DefaultsProblem => ({
  kind,
  message,
  isProhibited: false,
})

function picked(conf: KubeletConf | undefined, fields: readonly string[]): KubeletConf {
  return Object.fromEntries(
    fields.flatMap((field) => (conf && field in conf ? [[field, conf[field]]] : [])),
  )
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
