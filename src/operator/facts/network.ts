import { clusterFacts } from '../../api/names.ts'
import type { MtuMigration, Network } from '../../api/openshift-config.ts'
import type { ObjectReference } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { Service } from '@machinist/kube/kinds/core'
import { services } from '@machinist/kube/kinds/core'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'
import { problem, whereSaid } from './finding.ts'
import type { Range } from './service-network.ts'
import { clusterDNSIP, ipFamilies, parseRange, rangeFrom } from './service-network.ts'

/** clusterDNSIP, ipFamilies, networkType, network. Without a Network, what the API server's own Service tells. */
export function networkFinding({ network, apiService }: ClusterFacts): Finding {
  if (network.is === 'bad') return { problem: network.problem }
  if (network.is === 'given') return fromNetwork(network.object, network.source)
  if (apiService) return fromService(apiService)
  const message = `nothing says which addresses Services have: there is no Service default/kubernetes; say it under the key network of ConfigMap ${keyText(clusterFacts)}`
  return { problem: problem(problemReasons.missing, message, undefined) }
}

function fromNetwork(network: Network, source: ObjectReference): Finding {
  const said = network.spec.serviceNetwork ?? []
  const bad = (message: string): Finding => {
    const where = `${whereSaid('network', source)}, spec.serviceNetwork`
    return { problem: problem(problemReasons.badValue, `${where} ${message}`, source) }
  }
  const ranges = said.map(parseRange)
  const wrong = ranges.indexOf(undefined)
  if (wrong >= 0) return bad(`[${wrong}] is not a range of addresses such as 10.96.0.0/12`)
  const service = serviceFields(ranges)
  if (!service) return bad('must begin with a range of at least 16 addresses')
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
  const message =
    'Service default/kubernetes has no address from which the service network is known'
  return { problem: problem(problemReasons.badValue, message, referenceTo(services, service)) }
}

function serviceFields(
  ranges: readonly (Range | undefined)[],
): { clusterDNSIP: string; ipFamilies: string } | undefined {
  const [first, ...others] = ranges.flatMap((range) => range ?? [])
  const dnsIP = first && clusterDNSIP(first)
  return dnsIP === undefined
    ? undefined
    : { clusterDNSIP: dnsIP, ipFamilies: ipFamilies([first!, ...others]) }
}

/** Until the network is set up nothing but the wish is known; while it migrates, nodes are prepared for what comes. */
function networkType({ spec, status }: Network): string {
  if (!status?.networkType) return spec.networkType ?? ''
  // A migration of the packet size alone names no plugin.
  return status.migration?.networkType || status.networkType
}

function mtuMigration({ status }: Network): { mtuMigration: MtuMigration } | null {
  const mtu = status?.networkType ? status.migration?.mtu : undefined
  if (!mtu) return null
  const change = (of: MtuMigration['network']): MtuMigration['network'] => ({
    ...(typeof of?.from === 'number' && { from: of.from }),
    ...(typeof of?.to === 'number' && { to: of.to }),
  })
  return {
    mtuMigration: {
      ...(mtu.network && { network: change(mtu.network) }),
      ...(mtu.machine && { machine: change(mtu.machine) }),
    },
  }
}
