import type { Infrastructure, OnPremPlatform, PlatformStatus } from '../../api/openshift-config.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'

/** Where the server that gives joining machines their configuration listens. */
const serverPort = 22623

/** The versions that the releases 4.12, 4.16 and the newest write. A machine's first boot must know the one it is given. */
const versions = ['3.2.0', '3.4.0', '3.5.0'] as const
export type PointerVersion = (typeof versions)[number]

/**
 * The Ignition config that a new machine is born with: where to get the rest, and whom to trust there. Byte for byte what
 * the original writes, so that taking over its Secrets changes nothing in them.
 */
export function pointerConfig(
  host: string,
  pool: string,
  caBundle: Uint8Array,
  version: PointerVersion = '3.5.0',
): string {
  const verification = {}
  const ca = `data:text/plain;charset=utf-8;base64,${Buffer.from(caBundle).toString('base64')}`
  const source = `https://${host}:${serverPort}/config/${pool}`
  const ignition = {
    config: { merge: [{ source, verification }], replace: { verification } },
    proxy: {},
    security: { tls: { certificateAuthorities: [{ source: ca, verification }] } },
    timeouts: {},
  }
  return pointerText(ignition, version)
}

function pointerText(ignition: object, version: PointerVersion): string {
  return JSON.stringify({
    ignition: { ...ignition, version },
    ...(version !== '3.2.0' && { kernelArguments: {} }),
    passwd: {},
    storage: {},
    systemd: {},
  })
}

/**
 * The same pointer, no newer than the one that is there: boot images of the release that made it may not read a newer version,
 * and its machines would not join.
 */
export function noNewerThan(found: string, pointer: string): string {
  const [old, wanted] = [ignitionIn(found), ignitionIn(pointer)]
  const [before, after] = [old, wanted].map((one) =>
    versions.findIndex((version) => version === one?.['version']),
  ) as [number, number]
  return before >= 0 && before < after ? pointerText(wanted!, versions[before]!) : pointer
}

function ignitionIn(text: string): Record<string, unknown> | undefined {
  const config = jsonOrUndefined(text)
  const ignition = isObject(config) ? config['ignition'] : undefined
  return isObject(ignition) ? ignition : undefined
}

/**
 * The host of that server as it stands in an address: the one of the internal API, or on platforms without a load balancer
 * of their own the first of the cluster's addresses, if there is one. Undefined where neither is known.
 */
export function serverHost(infra: Infrastructure | null | undefined): string | undefined {
  const { platform, platformStatus, apiServerInternalURI } = infra?.status ?? {}
  const address = firstAddress(platformStatus, platformStatus?.type ?? platform)
  if (address) return address.includes(':') ? `[${address}]` : address
  return apiServerInternalURI ? hostOf(apiServerInternalURI) : undefined
}

/** Platforms where machines cannot count on the name before they have joined. */
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
