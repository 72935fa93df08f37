import { between } from '@machinist/core/random'
import type { ApiObject, WriteScene } from '../kind-rules.ts'
import type { Fields } from './fields.ts'
import { items, specOf, textOf, textsOf } from './fields.ts'

/** Where services get their addresses from: kube-apiserver's own range when nobody names another. */
export const serviceRange = '10.0.0.0/24'
const prefix = '10.0.0.'
/** The first address is for the API itself. */
const firstHost = 2
const lastHost = 254

export const firstNodePort = 30_000
export const lastNodePort = 32_767

export const inServiceRange = (address: string): boolean =>
  address.startsWith(prefix) && Number(address.slice(prefix.length)) <= 255

/** Which addresses all other services have. */
export function takenAddresses(service: ApiObject, { siblings }: WriteScene): Set<string> {
  return new Set(othersOf(service, siblings()).flatMap((spec) => textsOf(spec['clusterIPs'])))
}

/** Which ports of nodes all other services have, as `30080/TCP`. */
export function takenNodePorts(service: ApiObject, { siblings }: WriteScene): Set<string> {
  const ports = othersOf(service, siblings()).flatMap((spec) => items(spec['ports']))
  return new Set(ports.filter(({ nodePort }) => nodePort).map(nodePortKey))
}

export const nodePortKey = ({ nodePort, protocol }: Fields): string =>
  `${Number(nodePort)}/${textOf(protocol) || 'TCP'}`

/** A free address; absent where all are taken. */
export function freeAddress(service: ApiObject, scene: WriteScene): string | undefined {
  const taken = takenAddresses(service, scene)
  const host = freeNumber(scene, firstHost, lastHost, (number) => !taken.has(prefix + number))
  return host === undefined ? undefined : prefix + host
}

/** Gives each port one of the nodes' ports that nobody has. */
export function giveNodePorts(service: ApiObject, scene: WriteScene): void {
  const ports = items(specOf(service)['ports'])
  const missing = ports.filter(({ nodePort }) => !nodePort)
  if (missing.length === 0) return
  const taken = takenNodePorts(service, scene)
  for (const port of ports) if (port['nodePort']) taken.add(nodePortKey(port))
  for (const port of missing) {
    const isFree = (nodePort: number): boolean => !taken.has(nodePortKey({ ...port, nodePort }))
    const nodePort = freeNumber(scene, firstNodePort, lastNodePort, isFree)
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

/** Begins anywhere, so that a number is not soon given again, and goes around once. */
function freeNumber(
  { random }: WriteScene,
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
