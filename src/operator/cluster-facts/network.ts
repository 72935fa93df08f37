import type { ObjectReference } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { Service } from '@machinist/kube/kinds/core'
import { services } from '@machinist/kube/kinds/core'
import { clusterFacts } from '../../api/names.ts'
import type { MtuMigration, Network } from '../../api/openshift-config.ts'
import type { AddressRange } from '../../fleet/network/address-range.ts'
import { parseRange } from '../../fleet/network/address-range.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { inputProblem, describeSource } from './finding.ts'
import { clusterDNSIP, ipFamilies, rangeFrom } from './service-network.ts'

/** clusterDNSIP, ipFamilies, networkType, network. Without a Network, they follow from the API server's Service. */
export function networkFinding({ network, apiService }: ClusterFacts): Finding {
  if (network.type === 'invalid') return { problem: network.problem }
  if (network.type === 'given') return fromNetwork(network.object, network.source)
  if (apiService) return fromService(apiService)
  const message = `the service network is unknown: Service default/kubernetes does not exist; set key network of ConfigMap ${keyText(clusterFacts)}`
  return { problem: inputProblem(problemReasons.missing, message, undefined) }
}

function fromNetwork(network: Network, source: ObjectReference): Finding {
  const serviceNetwork = network.spec.serviceNetwork ?? []
  const invalid = (message: string): Finding => {
    const where = `${describeSource('network', source)}, spec.serviceNetwork`
    return { problem: inputProblem(problemReasons.badValue, `${where} ${message}`, source) }
  }
  const ranges = serviceNetwork.map(parseRange)
  const at = ranges.indexOf(undefined)
  if (at >= 0) return invalid(`[${at}] is not a CIDR range such as 10.96.0.0/12`)
  const service = serviceFields(ranges)
  if (!service) return invalid('must begin with a range of at least 16 addresses')
  return {
    spec: {
      ...service,
      networkType: networkType(network) || undefined,
      network: mtuMigration(network),
    },
  }
}

function fromService(service: Readonly<Service>): Finding {
  const { clusterIPs, clusterIP } = service.spec ?? {}
  const fields = serviceFields((clusterIPs ?? [clusterIP ?? '']).map(rangeFrom))
  if (fields) return { spec: { ...fields, networkType: undefined, network: null } }
  const message = `Service default/kubernetes has no usable clusterIP; set key network of ConfigMap ${keyText(clusterFacts)}`
  return { problem: inputProblem(problemReasons.badValue, message, referenceTo(services, service)) }
}

function serviceFields(
  ranges: readonly (AddressRange | undefined)[],
): { clusterDNSIP: string; ipFamilies: string } | undefined {
  const [first, ...others] = ranges.flatMap((range) => range ?? [])
  const dnsIP = first && clusterDNSIP(first)
  return dnsIP === undefined
    ? undefined
    : { clusterDNSIP: dnsIP, ipFamilies: ipFamilies([first!, ...others]) }
}

/** Before the network is set up, only the spec is known; during a migration, nodes are prepared for the target network. */
function networkType({ spec, status }: Network): string {
  if (!status?.networkType) return spec.networkType ?? ''
  // An MTU migration has no networkType.
  return status.migration?.networkType || status.networkType
}

function mtuMigration({ status }: Network): { mtuMigration: MtuMigration } | null {
  const mtu = status?.networkType ? status.migration?.mtu : undefined
  if (!mtu) return null
  const change = (mtus: MtuMigration['network']): MtuMigration['network'] => ({
    ...(typeof mtus?.from === 'number' && { from: mtus.from }),
    ...(typeof mtus?.to === 'number' && { to: mtus.to }),
  })
  return {
    mtuMigration: {
      ...(mtu.network && { network: change(mtu.network) }),
      ...(mtu.machine && { machine: change(mtu.machine) }),
    },
  }
}
