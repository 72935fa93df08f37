import type { Fields } from '../../fields.ts'
import { membersOf, textOf } from '../../fields.ts'

export const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']

export const typeOf = (spec: Fields): string => textOf(spec['type']) || 'ClusterIP'

/** ExternalName services have no cluster IP. */
export const needsAddress = (spec: Fields): boolean => typeOf(spec) !== 'ExternalName'

export const needsNodePorts = (spec: Fields): boolean =>
  typeOf(spec) === 'NodePort' || typeOf(spec) === 'LoadBalancer'

export const isHeadless = (spec: Fields): boolean => spec['clusterIP'] === 'None'

/** A headless service without a selector needs no address family. */
export const isBound = (spec: Fields): boolean =>
  !isHeadless(spec) || Object.keys(membersOf(spec['selector'])).length > 0
