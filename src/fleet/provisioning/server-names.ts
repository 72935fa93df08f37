import { InvalidInput } from '@machinist/core/errors'
import type { Infrastructure, PlatformStatus } from '../../api/openshift-config.ts'
import { readHostnames } from '../rotation/hostnames.ts'

/**
 * DNS names and IP addresses by which new machines may reach the machine config server, normalized and sorted: the host of the
 * internal API, and its addresses on platforms without a load balancer or with DNS in the cluster. Invalid ones are omitted.
 */
export function serverNames(infra: Infrastructure | null | undefined): readonly string[] {
  const { apiServerInternalURI, platformStatus } = infra?.status ?? {}
  const host = apiServerInternalURI && URL.parse(apiServerInternalURI)?.hostname
  const all = [...(host ? [host.replace(/^\[(.*)\]$/, '$1')] : []), ...addressesIn(platformStatus)]
  return readHostnames(all.filter(isName), 'the names of the machine config server').all
}

function addressesIn(status: PlatformStatus | undefined): string[] {
  if (!status) return []
  const { baremetal, openstack, ovirt, vsphere, nutanix, aws, azure, gcp } = status
  const onPrem = [baremetal, openstack, ovirt, vsphere, nutanix].flatMap((platform) =>
    platform?.apiServerInternalIPs?.length
      ? platform.apiServerInternalIPs
      : (platform?.apiServerInternalIP ?? []),
  )
  const hosted = [aws, azure, gcp].flatMap(
    (platform) => platform?.cloudLoadBalancerConfig?.clusterHosted?.apiIntLoadBalancerIPs ?? [],
  )
  return [...onPrem, ...hosted]
}

function isName(text: string): boolean {
  try {
    return readHostnames([text], '').all.length > 0
  } catch (error) {
    if (error instanceof InvalidInput) return false
    throw error
  }
}
