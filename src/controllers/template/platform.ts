import { InvalidInput } from '@machinist/core/errors'
import type { ControllerConfig } from '../../api/kinds/resources.ts'

/** Platform types of the Infrastructure object; their directories are in lower case. */
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

const baseDirectory = '_base'
const onPremDirectory = 'on-prem'
const topologyDirectories: Readonly<Record<string, string>> = {
  SingleReplica: 'sno',
  DualReplica: 'two-node-with-fencing',
}

export const platformDirectories: readonly string[] = [
  baseDirectory,
  onPremDirectory,
  ...platforms.map((platform) => platform.toLowerCase()),
  ...Object.values(topologyDirectories),
]

export function isPlatformDirectory(name: string): boolean {
  return platformDirectories.includes(name)
}

/** The platform of the cluster, for templates. */
export interface TemplatePlatform {
  /** The platform type of the Infrastructure object, or `None`. */
  readonly type: string
  readonly topology: string
  /** Template directories; later ones override earlier ones. */
  readonly directories: readonly string[]
  /** For the kubelet's --cloud-provider. */
  readonly cloudProvider: '' | 'external'
  /** The credential provider of the kubelet for the cloud's registry: ecr, acr, gcr. */
  readonly credentialProvider: string
}

export function platformOf({ spec }: Pick<ControllerConfig, 'spec'>): TemplatePlatform {
  const type = typeOf(spec.infra)
  const topology = spec.infra?.status?.controlPlaneTopology ?? ''
  const forTopology = topologyDirectories[topology]
  return {
    type,
    topology,
    directories: [
      baseDirectory,
      ...(onPremises.has(type) ? [onPremDirectory] : []),
      type.toLowerCase(),
      ...(forTopology === undefined ? [] : [forTopology]),
    ],
    cloudProvider: withOwnController.has(type) || isExternal(spec.infra, type) ? 'external' : '',
    credentialProvider: credentialProviders[type] ?? '',
  }
}

type Infra = ControllerConfig['spec']['infra']

/** An unknown type counts as None: it may be newer than this version. */
function typeOf(infra: Infra): string {
  if (!infra) return 'None'
  const platform = infra.status?.platformStatus?.type || infra.status?.platform || ''
  if (platform === '') {
    throw new InvalidInput(
      'cannot generate MachineConfigs when no platformStatus.type is set in spec.infra',
    )
  }
  if (platform === baseDirectory) throw new InvalidInput(`platform ${baseDirectory} unsupported`)
  return platforms.find((known) => known.toLowerCase() === platform.toLowerCase()) ?? 'None'
}

function isExternal(infra: Infra, type: string): boolean {
  const { state } = infra?.status?.platformStatus?.external?.cloudControllerManager ?? {}
  return type === 'External' && state === 'External'
}
