import type { Infrastructure, OnPremPlatform, PlatformStatus } from '../../api/openshift-config.ts'

/**
 * The host of the machine config server in a URL: the host of the internal API, or, on platforms without a load balancer, the
 * first API address of the cluster. Undefined if neither is known.
 */
export function serverHost(infra: Infrastructure | null | undefined): string | undefined {
  const { platform, platformStatus, apiServerInternalURI } = infra?.status ?? {}
  const address = firstAddress(platformStatus, platformStatus?.type ?? platform)
  if (address) return address.includes(':') ? `[${address}]` : address
  return apiServerInternalURI ? hostOf(apiServerInternalURI) : undefined
}

/** Platforms where machines cannot resolve the name before they have joined. */
const detailsOf: Readonly<Record<string, (status: PlatformStatus) => OnPremPlatform | undefined>> =
  {
    BareMetal: ({ baremetal }) => baremetal,
    OpenStack: ({ openstack }) => openstack,
    Ovirt: ({ ovirt }) => ovirt,
    VSphere: ({ vsphere }) => vsphere,
  }

function firstAddress(
  status: PlatformStatus | undefined,
  type: string | undefined,
): string | undefined {
  if (!status || !type || !Object.hasOwn(detailsOf, type)) return undefined
  const details = detailsOf[type]!(status)
  return details?.apiServerInternalIPs?.[0] || details?.apiServerInternalIP
}

function hostOf(address: string): string | undefined {
  return URL.parse(address)?.hostname || undefined
}
