import { plain } from '@machinist/core/quoted'
import { InvalidInput } from '@machinist/core/errors'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { bearer, readBearer } from './bearer.ts'

/** The port of the machine config server. */
const serverPort = 22623

/** The spec versions of the releases 4.12, 4.16 and the newest. The Ignition of a boot image must support the version. */
const pointerVersions = ['3.2.0', '3.4.0', '3.5.0'] as const
export type PointerVersion = (typeof pointerVersions)[number]

/** The version with this name. Throws InvalidInput for others. */
export function pointerVersionNamed(text: string): PointerVersion {
  const version = pointerVersions.find((one) => one === text)
  if (version) return version
  throw new InvalidInput(
    `${plain(text)} is not a version of pointer configs: use one of ${pointerVersions.join(', ')}`,
  )
}

export interface PointerInputs {
  /** The host of the machine config server, as in a URL. */
  readonly host: string
  readonly pool: string
  /** The CA bundle of the machine config server. */
  readonly caBundle: Uint8Array
  /** The newest by default. */
  readonly version?: PointerVersion | undefined
  /** The provisioning token of the pool. */
  readonly token?: string | undefined
}

/**
 * The pointer Ignition config of new machines: the URL of the full config, the token that it requires, and the CA of its server.
 * Without a token byte for byte as MCO writes it, so that adopting its Secrets does not change them.
 */
export function pointerConfig(inputs: PointerInputs): string {
  const { host, pool, caBundle, version = '3.5.0', token } = inputs
  const verification = {}
  const ca = `data:text/plain;charset=utf-8;base64,${Buffer.from(caBundle).toString('base64')}`
  const source = `https://${host}:${serverPort}/config/${pool}`
  const httpHeaders = token === undefined ? undefined : authorization(token)
  const ignition = {
    config: { merge: [{ httpHeaders, source, verification }], replace: { verification } },
    proxy: {},
    security: { tls: { certificateAuthorities: [{ source: ca, verification }] } },
    timeouts: {},
  }
  return pointerText(ignition, version)
}

const authorization = (token: string): HttpHeader[] => [
  { name: 'Authorization', value: bearer(token) },
]

interface HttpHeader {
  readonly name: string
  readonly value: string
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
    pointerVersions.findIndex((version) => version === one?.['version']),
  ) as [number, number]
  return before >= 0 && before < after ? pointerText(desired!, pointerVersions[before]!) : pointer
}

/** The provisioning token in a pointer; undefined if it has none. */
export function tokenIn(pointer: string): string | undefined {
  const headers = mergeIn(ignitionIn(pointer))?.['httpHeaders']
  for (const header of Array.isArray(headers) ? headers : []) {
    const { name, value } = isObject(header) ? header : {}
    if (typeof name !== 'string' || name.toLowerCase() !== 'authorization') continue
    if (typeof value === 'string') return readBearer(value)
  }
  return undefined
}

/** The pointer in another version; undefined if the text is not a pointer. */
export function inVersion(pointer: string, version: PointerVersion): string | undefined {
  const ignition = ignitionIn(pointer)
  return ignition && pointerText(ignition, version)
}

/** The pointer with another token; undefined if the text is not a pointer. Other headers are dropped. */
export function withToken(pointer: string, token: string): string | undefined {
  const config = jsonOrUndefined(pointer)
  const merge = mergeIn(ignitionIn(pointer))
  if (!isObject(config) || !merge) return undefined
  const { ignition } = config as { ignition: { config: { merge: unknown[] } } }
  const { httpHeaders: _, ...rest } = merge
  const first = { httpHeaders: authorization(token), ...rest }
  const changed = { ...ignition.config, merge: [first, ...ignition.config.merge.slice(1)] }
  return JSON.stringify({ ...config, ignition: { ...ignition, config: changed } })
}

/** The entry that names the machine config server. */
function mergeIn(
  ignition: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  const config = isObject(ignition?.['config']) ? ignition['config'] : {}
  const [first] = Array.isArray(config['merge']) ? (config['merge'] as unknown[]) : []
  return isObject(first) ? first : undefined
}

function ignitionIn(text: string): Record<string, unknown> | undefined {
  const config = jsonOrUndefined(text)
  const ignition = isObject(config) ? config['ignition'] : undefined
  return isObject(ignition) ? ignition : undefined
}
