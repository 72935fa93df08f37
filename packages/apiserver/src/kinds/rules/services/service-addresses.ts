import { between } from '@machinist/core/random'
import type { ApiObject, WriteContext } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { items, specOf, textOf, textsOf } from '../../fields.ts'

/** Cluster IP range: kube-apiserver's default. */
export const serviceRange = '10.0.0.0/24'
const prefix = '10.0.0.'
/** The first address belongs to the kubernetes Service. */
const firstHost = 2
const lastHost = 254

export const firstNodePort = 30_000
export const lastNodePort = 32_767

export const inServiceRange = (address: string): boolean =>
  address.startsWith(prefix) && Number(address.slice(prefix.length)) <= 255

/** Addresses of all other services. */
export function takenAddresses(service: ApiObject, { siblings }: WriteContext): Set<string> {
  return new Set(othersOf(service, siblings()).flatMap((spec) => textsOf(spec['clusterIPs'])))
}

/** Node ports of all other services, as `30080/TCP`. */
export function takenNodePorts(service: ApiObject, { siblings }: WriteContext): Set<string> {
  const ports = othersOf(service, siblings()).flatMap((spec) => items(spec['ports']))
  return new Set(ports.filter(({ nodePort }) => nodePort).map(nodePortKey))
}

export const nodePortKey = ({ nodePort, protocol }: Fields): string =>
  `${Number(nodePort)}/${textOf(protocol) || 'TCP'}`

/** A free address; undefined if all are taken. */
export function freeAddress(service: ApiObject, writeContext: WriteContext): string | undefined {
  const taken = takenAddresses(service, writeContext)
  const host = freeNumber(
    writeContext,
    firstHost,
    lastHost,
    (number) => !taken.has(prefix + number),
  )
  return host === undefined ? undefined : prefix + host
}

/** Assigns a free node port to each port. */
export function giveNodePorts(service: ApiObject, writeContext: WriteContext): void {
  const ports = items(specOf(service)['ports'])
  const missing = ports.filter(({ nodePort }) => !nodePort)
  if (missing.length === 0) return
  const taken = takenNodePorts(service, writeContext)
  for (const port of ports) if (port['nodePort']) taken.add(nodePortKey(port))
  for (const port of missing) {
    const isFree = (nodePort: number): boolean => !taken.has(nodePortKey({ ...port, nodePort }))
    const nodePort = freeNumber(writeContext, firstNodePort, lastNodePort, isFree)
    if (nodePort === undefined) return
    port['nodePort'] = nodePort
    taken.add(nodePortKey(port))
  }
}

function othersOf(service: ApiObject, all: readonly ApiObject[]): Fields[] {
  const { namespace, name } = service.metadata
  return all
    .filter(({ metadata }) => metadata.namespace !== namespace || metadata.name !== name)
    .map(specOf)
}

/** Starts at a random number, so that freed numbers are not reused soon, and wraps around. */
function freeNumber(
  { random }: WriteContext,
  low: number,
  high: number,
  isFree: (number: number) => boolean,
): number | undefined {
  const start = between(random, low, high)
  const count = high - low + 1
  for (let step = 0; step < count; step++) {
    const number = low + ((start - low + step) % count)
    if (isFree(number)) return number
  }
  return undefined
}
