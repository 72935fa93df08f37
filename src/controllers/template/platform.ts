import type { ControllerConfig } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'

/** Platforms by the names that Infrastructure has for them; their directories are in lower case. */
const platforms = [
  'AlibabaCloud',
  'AWS',
  'Azure',
  'BareMetal',
  'External',
  'GCP',
  'IBMCloud',
  'KubeVirt',
  'Libvirt',
  'None',
  'Nutanix',
  'OpenStack',
  'oVirt',
  'PowerVS',
  'VSphere',
] as const

const onPremises = new Set<string>(['BareMetal', 'oVirt', 'OpenStack', 'VSphere', 'Nutanix'])
const withOwnController = new Set<string>([
  'AWS',
  'Azure',
  'GCP',
  'OpenStack',
  'VSphere',
  'PowerVS',
  'Nutanix',
  'KubeVirt',
  'IBMCloud',
  'AlibabaCloud',
])
const credentialProviders: Readonly<Record<string, string>> = {
  AWS: 'ecr',
  Azure: 'acr',
  GCP: 'gcr',
}

const base = '_base'
const onPremDirectory = 'on-prem'
const topologyDirectories: Readonly<Record<string, string>> = {
  SingleReplica: 'sno',
  DualReplica: 'two-node-with-fencing',
}

export const platformDirectories: readonly string[] = [
  base,
  onPremDirectory,
  ...platforms.map((platform) => platform.toLowerCase()),
  ...Object.values(topologyDirectories),
]

export function isPlatformDirectory(name: string): boolean {
  return platformDirectories.includes(name)
}

/** What the templates want to know about the ground the cluster stands on. */
export interface Platform {
  /** As Infrastructure calls it; `None` where there is none. */
  readonly type: string
  readonly topology: string
  /** Whose templates count, later ones over earlier ones. */
  readonly directories: readonly string[]
  /** For the kubelet's --cloud-provider. */
  readonly cloudProvider: '' | 'external'
  /** Which program gives the kubelet its credentials for the cloud's registry: ecr, acr, gcr. */
  readonly credentialProvider: string
}

export function platformOf({ spec }: Pick<ControllerConfig, 'spec'>): Platform {
  const type = typeOf(spec.infra)
  const topology = spec.infra?.status?.controlPlaneTopology ?? ''
  const forTopology = topologyDirectories[topology]
  return {
    type,
    topology,
    directories: [
      base,
      ...(onPremises.has(type) ? [onPremDirectory] : []),
      type.toLowerCase(),
      ...(forTopology === undefined ? [] : [forTopology]),
    ],
    cloudProvider: withOwnController.has(type) || isExternal(spec.infra, type) ? 'external' : '',
    credentialProvider: credentialProviders[type] ?? '',
  }
}

type Infra = ControllerConfig['spec']['infra']

/** A type that we have never heard of counts as None: it may be newer than we are. */
function typeOf(infra: Infra): string {
  if (!infra) return 'None'
  const asked = infra.status?.platformStatus?.type || infra.status?.platform || ''
  if (asked === '') {
    throw new InvalidInput(
      'cannot generate MachineConfigs when no platformStatus.type is set in spec.infra',
    )
  }
  if (asked === base) throw new InvalidInput(`platform ${base} unsupported`)
  return platforms.find((known) => known.toLowerCase() === asked.toLowerCase()) ?? 'None'
}

function isExternal(infra: Infra, type: string): boolean {
  const { state } = infra?.status?.platformStatus?.external?.cloudControllerManager ?? {}
  return type === 'External' && state === 'External'
}
