import type { Infrastructure, OnPremPlatform, PlatformStatus } from '../../api/openshift-config.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'

/** The port of the machine config server. */
const serverPort = 22623

/** The spec versions of the releases 4.12, 4.16 and the newest. The Ignition of a boot image must support the version. */
const versions = ['3.2.0', '3.4.0', '3.5.0'] as const
export type PointerVersion = (typeof versions)[number]

/**
 * The pointer Ignition config of new machines: the URL of the full config, and the CA of its server. Byte for byte as MCO writes
 * it, so that adopting its Secrets does not change them.
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
 * The pointer with a version no newer than the existing one: boot images of the release that wrote it may not support a newer
 * version, and machines could not join.
 */
export function noNewerThan(found: string, pointer: string): string {
  const [old, desired] = [ignitionIn(found), ignitionIn(pointer)]
  const [before, after] = [old, desired].map((one) =>
    versions.findIndex((version) => version === one?.['version']),
  ) as [number, number]
  return before >= 0 && before < after ? pointerText(desired!, versions[before]!) : pointer
}

function ignitionIn(text: string): Record<string, unknown> | undefined {
  const config = jsonOrUndefined(text)
  const ignition = isObject(config) ? config['ignition'] : undefined
  return isObject(ignition) ? ignition : undefined
}

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
