import { isIP } from 'node:net'
import type { StatusCause } from '../../../status/status-error.ts'
import {
  duplicateValue,
  forbidden,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../../status/causes.ts'
import { labelProblems, nameProblems } from '../../../objects/names.ts'
import type { ApiObject, WriteContext } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { items, membersOf, specOf, statusOf, textOf, textsOf } from '../../fields.ts'
import { portNameProblems, portProblems, protocols } from '../ports.ts'
import {
  firstNodePort,
  inServiceRange,
  lastNodePort,
  nodePortKey,
  serviceRange,
  takenAddresses,
  takenNodePorts,
} from './service-addresses.ts'
import {
  isBound,
  isHeadless,
  needsAddress,
  needsNodePorts,
  serviceTypes,
  typeOf,
} from './service-types.ts'

/** Validates a Service. */
export function serviceProblems(
  service: ApiObject,
  before: ApiObject | undefined,
  writeContext: WriteContext,
): StatusCause[] {
  const spec = specOf(service)
  const wrong = [
    ...(before ? changeProblems(spec, specOf(before)) : []),
    ...portListProblems(spec),
    ...choice(spec, 'sessionAffinity', ['ClientIP', 'None']),
    ...innerPortProblems(spec),
    ...choice(spec, 'type', serviceTypes),
    ...addressProblems(spec),
    ...labelProblems('spec.selector', membersOf(spec['selector'])),
    ...nameProblemsOf(spec),
    ...choice(spec, 'internalTrafficPolicy', ['Cluster', 'Local']),
    ...outerTraffic(spec),
    ...ingressProblems(service),
  ]
  // Check allocations last: the write queue of the kind guarantees that they stay free.
  return wrong.length > 0 ? wrong : allocationProblems(service, before, writeContext)
}

function choice(spec: Fields, field: string, allowed: readonly string[]): StatusCause[] {
  const value = textOf(spec[field])
  if (value === '' || allowed.includes(value)) return []
  return [unsupportedValue(`spec.${field}`, value, allowed)]
}

function portListProblems(spec: Fields): StatusCause[] {
  const ports = items(spec['ports'])
  if (ports.length === 0) {
    return isHeadless(spec) || !needsAddress(spec) ? [] : [requiredValue('spec.ports')]
  }
  const names = ports.map(({ name }) => textOf(name))
  return ports.flatMap((port, place) =>
    portName(names, place).concat(onePort(port, `spec.ports[${place}]`)),
  )
}

function portName(names: readonly string[], place: number): StatusCause[] {
  const field = `spec.ports[${place}].name`
  const name = names[place]!
  if (name === '') return names.length > 1 ? [requiredValue(field)] : []
  const twice = names.indexOf(name) < place
  return [
    ...nameProblems(name, 'label').map((problem) => invalidValue(field, name, problem)),
    ...(twice ? [duplicateValue(field, name)] : []),
  ]
}

const onePort = (port: Fields, at: string): StatusCause[] => [
  ...portProblems(`${at}.port`, port['port']),
  ...choiceOfProtocol(`${at}.protocol`, port['protocol']),
  ...targetProblems(`${at}.targetPort`, port['targetPort']),
]

function choiceOfProtocol(field: string, protocol: unknown): StatusCause[] {
  return protocols.includes(textOf(protocol)) ? [] : [unsupportedValue(field, protocol, protocols)]
}

const targetProblems = (field: string, target: unknown): StatusCause[] =>
  typeof target === 'string' ? portNameProblems(field, target) : portProblems(field, target)

function addressProblems(spec: Fields): StatusCause[] {
  const field = 'spec.clusterIPs'
  const first = textOf(spec['clusterIP'])
  const all = textsOf(spec['clusterIPs'])
  if (!needsAddress(spec)) {
    return first === '' && all.length === 0
      ? []
      : [forbidden(field, 'may not be set for ExternalName services')]
  }
  const apart =
    first === ''
      ? [invalidValue(field, all, 'must be empty when `clusterIP` is not specified')]
      : all[0] === first
        ? []
        : [invalidValue(field, all, 'first value must match `clusterIP`')]
  const example = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
  const junk = all.flatMap((address, place) =>
    isIP(address) !== 0 || address === 'None'
      ? []
      : [invalidValue(`${field}[${place}]`, address, example)],
  )
  const headless =
    needsNodePorts(spec) && first === 'None'
      ? [
          invalidValue(
            `${field}[0]`,
            first,
            `may not be set to 'None' for ${typeOf(spec)} services`,
          ),
        ]
      : []
  return [...apart, ...junk, ...headless]
}

function innerPortProblems(spec: Fields): StatusCause[] {
  if (typeOf(spec) !== 'ClusterIP') return []
  const why = "may not be used when `type` is 'ClusterIP'"
  return items(spec['ports']).flatMap(({ nodePort }, place) =>
    nodePort ? [forbidden(`spec.ports[${place}].nodePort`, why)] : [],
  )
}

function outerTraffic(spec: Fields): StatusCause[] {
  const policy = textOf(spec['externalTrafficPolicy'])
  const outside = needsNodePorts(spec) || textsOf(spec['externalIPs']).length > 0
  if (outside || policy === '') {
    return choice(spec, 'externalTrafficPolicy', ['Cluster', 'Local'])
  }
  const why = 'may only be set for externally-accessible services'
  return [invalidValue('spec.externalTrafficPolicy', policy, why)]
}

function nameProblemsOf(spec: Fields): StatusCause[] {
  if (typeOf(spec) !== 'ExternalName') return []
  const name = textOf(spec['externalName'])
  if (name === '') return [requiredValue('spec.externalName')]
  const bare = name.replace(/\.$/, '')
  return nameProblems(bare).map((problem) => invalidValue('spec.externalName', name, problem))
}

function changeProblems(spec: Fields, old: Fields): StatusCause[] {
  const [now, before] = [textsOf(spec['clusterIPs']), textsOf(old['clusterIPs'])]
  if (!needsAddress(spec) || !needsAddress(old) || now[0] === before[0]) return []
  const field = 'spec.clusterIPs[0]'
  return [invalidValue(field, now, 'may not change once set')]
}

function ingressProblems(service: ApiObject): StatusCause[] {
  const ingress = items(membersOf(statusOf(service)['loadBalancer'])['ingress'])
  if (ingress.length === 0 || typeOf(specOf(service)) === 'LoadBalancer') return []
  const why = "may only be used when `spec.type` is 'LoadBalancer'"
  return [forbidden('status.loadBalancer.ingress', why)]
}

function allocationProblems(
  service: ApiObject,
  before: ApiObject | undefined,
  writeContext: WriteContext,
): StatusCause[] {
  const spec = specOf(service)
  if (!needsAddress(spec) || writeContext.subresource !== undefined) return []
  const address = textOf(spec['clusterIP'])
  const kept = before && specOf(before)['clusterIP'] === address
  const addresses = kept || isHeadless(spec) ? [] : takenAddress(service, writeContext, address)
  return [...familyProblems(spec), ...addresses, ...takenPorts(service, before, writeContext)]
}

/** Only IPv4 is available; a headless service without a selector needs no address family. */
function familyProblems(spec: Fields): StatusCause[] {
  if (!isBound(spec)) return []
  const policy = textOf(spec['ipFamilyPolicy'])
  const why = 'this cluster is not configured for dual-stack services'
  return [
    ...(policy === 'RequireDualStack' ? [invalidValue('spec.ipFamilyPolicy', policy, why)] : []),
    ...textsOf(spec['ipFamilies']).flatMap((family, place) =>
      family === 'IPv4'
        ? []
        : [invalidValue(`spec.ipFamilies[${place}]`, family, 'not configured on this cluster')],
    ),
  ]
}

function takenAddress(
  service: ApiObject,
  writeContext: WriteContext,
  address: string,
): StatusCause[] {
  const invalidAddress = (why: string): StatusCause[] => [
    invalidValue('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`),
  ]
  if (!inServiceRange(address)) {
    return invalidAddress(
      `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${serviceRange}`,
    )
  }
  return takenAddresses(service, writeContext).has(address)
    ? invalidAddress('provided IP is already allocated')
    : []
}

function takenPorts(
  service: ApiObject,
  before: ApiObject | undefined,
  writeContext: WriteContext,
): StatusCause[] {
  const ports = items(specOf(service)['ports'])
  const had = new Set(before ? items(specOf(before)['ports']).map(nodePortKey) : [])
  const requested = ports.filter((port) => port['nodePort'] && !had.has(nodePortKey(port)))
  if (requested.length === 0) return []
  const taken = takenNodePorts(service, writeContext)
  return requested.flatMap((port) => {
    const field = `spec.ports[${ports.indexOf(port)}].nodePort`
    const nodePort = port['nodePort'] as number
    if (nodePort < firstNodePort || nodePort > lastNodePort) {
      const range = `The range of valid ports is ${firstNodePort}-${lastNodePort}`
      return [invalidValue(field, nodePort, `provided port is not in the valid range. ${range}`)]
    }
    return taken.has(nodePortKey(port))
      ? [invalidValue(field, nodePort, 'provided port is already allocated')]
      : []
  })
}
