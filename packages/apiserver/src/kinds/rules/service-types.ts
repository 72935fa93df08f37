import type { Fields } from './fields.ts'
import { membersOf, textOf } from './fields.ts'

export const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']

export const typeOf = (spec: Fields): string => textOf(spec['type']) || 'ClusterIP'

/** An external name is all that such a service has; the others have an address in the cluster. */
export const needsAddress = (spec: Fields): boolean => typeOf(spec) !== 'ExternalName'

export const needsNodePorts = (spec: Fields): boolean =>
  typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer'

export const isHeadless = (spec: Fields): boolean => spec['clusterIP'] === 'None'

/** Whoever leads no traffic anywhere need not choose a family of addresses. */
export const isBound = (spec: Fields): boolean =>
  !isHeadless(spec) || Object.keys(membersOf(spec['selector'])).length > 0
