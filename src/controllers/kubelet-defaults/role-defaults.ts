import { isObject } from '@machinist/core/encoding/json'
import { pools } from '../../api/names.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import type { ClusterKind } from './cluster-settings.ts'
import { featureGatesOf } from './feature-gates.ts'
import type { KubeletConf } from './kubelet-conf.ts'
import { kernelArgumentsOf, statusUpdateFrequency } from './node-config.ts'
import { tlsSettings } from './tls-profile.ts'

/** The relevant content of a stored layer. */
export interface StoredLayer {
  /** Undefined if it has no kubelet.conf. */
  readonly conf: KubeletConf | undefined
  readonly kernelArguments: readonly string[]
}

/** Everything that determines the kubelet defaults of a role. */
export interface RoleFacts {
  readonly role: string
  /** kubelet.conf of the templates. */
  readonly base: KubeletConf
  readonly node?: Readonly<NodeConfig> | undefined
  readonly apiServer?: Readonly<APIServer> | undefined
  readonly featureGate?: Readonly<FeatureGate> | undefined
  /** The release of the cluster, as in FeatureGate versions. */
  readonly release?: string | undefined
  /** Kinds that were served before and are not any more: their objects are unknown. */
  readonly lost?: ReadonlySet<ClusterKind>
  /** The stored layers of the role. */
  readonly stored: {
    readonly node?: StoredLayer | undefined
    readonly features?: StoredLayer | undefined
  }
}

/** An invalid setting of the cluster; its last valid value stays in effect. */
export interface DefaultsProblem {
  readonly kind: ClusterKind
  readonly message: string
  readonly isProhibited: boolean
}

export interface KubeletDefaults {
  readonly base: KubeletConf
  /** With the settings of Node and APIServer: layer 97. */
  readonly node: KubeletConf
  /** Additionally with feature gates: layer 98, which KubeletConfigs extend. */
  readonly features: KubeletConf
  /** For nodes of built-in pools. */
  readonly kernelArguments: readonly string[]
  readonly problems: readonly DefaultsProblem[]
}

/** Each setting is independent: an invalid one keeps its stored value and does not block others. */
export function kubeletDefaults(facts: RoleFacts): KubeletDefaults {
  const { base } = facts
  const problems = [...(facts.lost ?? [])].map((kind) => invalid(kind, notServed))
  const node: KubeletConf = {
    ...base,
    ...latencyFields(facts, problems),
    ...tlsFields(facts, problems),
  }
  const gates = featureGates(facts, problems)
  const known = isObject(base['featureGates']) ? base['featureGates'] : {}
  const features =
    Object.keys(gates).length > 0 ? { ...node, featureGates: { ...known, ...gates } } : node
  return {
    base,
    node,
    features,
    kernelArguments: desiredKernelArguments(facts, problems),
    problems,
  }
}

/** Workers only: the latency profile does not apply to the control plane. */
function latencyFields(
  { role, base, node, lost, stored }: RoleFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  if (role !== pools.worker) return {}
  if (lost?.has('Node')) return pick(stored.node?.conf, ['nodeStatusUpdateFrequency'])
  if (!node) return {}
  const before = stored.node && { stored: textOf(stored.node.conf?.['nodeStatusUpdateFrequency']) }
  const latency = statusUpdateFrequency(node, before, textOf(base['nodeStatusUpdateFrequency']))
  const isInvalid = typeof latency === 'object'
  if (isInvalid) problems.push({ kind: 'Node', ...latency })
  const nodeStatusUpdateFrequency = isInvalid ? before?.stored : latency
  return nodeStatusUpdateFrequency === undefined ? {} : { nodeStatusUpdateFrequency }
}

function tlsFields(
  { apiServer, lost, stored }: RoleFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  const asStored = (): KubeletConf => pick(stored.node?.conf, ['tlsMinVersion', 'tlsCipherSuites'])
  if (lost?.has('APIServer')) return asStored()
  const profile = apiServer?.spec?.tlsSecurityProfile
  if (!isObject(profile)) return {}
  const { conf, problems: tlsProblems } = tlsSettings(profile)
  if (tlsProblems.length === 0) return conf
  problems.push(
    ...tlsProblems.map((problem) => invalid('APIServer', `spec.tlsSecurityProfile.${problem}`)),
  )
  return asStored()
}

function featureGates(
  { featureGate, release, lost, stored }: RoleFacts,
  problems: DefaultsProblem[],
): KubeletConf {
  if (!lost?.has('FeatureGate')) {
    const gates = featureGate ? featureGatesOf(featureGate, release) : {}
    if (typeof gates !== 'string') return gates
    problems.push(invalid('FeatureGate', gates))
  }
  const before = stored.features?.conf?.['featureGates']
  return isObject(before) ? before : {}
}

function desiredKernelArguments(
  { node, lost, stored }: RoleFacts,
  problems: DefaultsProblem[],
): readonly string[] {
  if (lost?.has('Node')) return stored.node?.kernelArguments ?? []
  const desired = node ? kernelArgumentsOf(node) : []
  if (!('message' in desired)) return desired
  problems.push({ kind: 'Node', ...desired })
  return stored.node?.kernelArguments ?? []
}

/** Treating the object as deleted would change every node. */
const notServed =
  'the API server no longer serves this kind, so its settings are unknown; install the CRD again, or restart this controller if the CRD was removed on purpose'

const invalid = (kind: ClusterKind, message: string): DefaultsProblem => ({
  kind,
  message,
  isProhibited: false,
})

function pick(conf: KubeletConf | undefined, fields: readonly string[]): KubeletConf {
  return Object.fromEntries(
    fields.flatMap((field) => (conf && field in conf ? [[field, conf[field]]] : [])),
  )
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
