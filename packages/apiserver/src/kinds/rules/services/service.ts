import type { ApiObject, KindRules, WriteContext } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { fill, items, section, specOf, statusOf, textOf, textsOf } from '../../fields.ts'
import { freeAddress, giveNodePorts } from './service-addresses.ts'
import { serviceProblems } from './service-checks.ts'
import { isBound, needsAddress, needsNodePorts, typeOf } from './service-types.ts'

export const serviceRules: KindRules = {
  nameRule: 'service',
  returnsDeleted: true,
  allowsCreateOnUpdate: true,
  serialized: true,
  complete(service) {
    const spec = specOf(service)
    for (const port of items(spec['ports'])) {
      fill(port, { protocol: 'TCP' })
      if (!port['targetPort']) port['targetPort'] = port['port']
    }
    fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' })
    completeTraffic(spec)
    const balancer = section(statusOf(service), 'loadBalancer')
    for (const ingress of items(balancer['ingress']))
      if (ingress['ip']) fill(ingress, { ipMode: 'VIP' })
  },
  prepareForCreate: (service, writeContext) => allocate(service, writeContext),
  prepareForUpdate(service, before, writeContext) {
    if (writeContext.subresource !== undefined) return
    keepAllocated(specOf(service), specOf(before))
    dropOutdated(specOf(service), specOf(before))
    allocate(service, writeContext)
  },
  validate: (service, before, writeContext) => serviceProblems(service, before, writeContext),
}

function completeTraffic(spec: Fields): void {
  if (spec['sessionAffinity'] === 'ClientIP') {
    fill(section(section(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 })
  }
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
  if (spec['type'] !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' })
  if (needsNodePorts(spec)) fill(spec, { externalTrafficPolicy: 'Cluster' })
  if (spec['type'] === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true })
}

/** Allocates missing addresses and node ports. */
function allocate(service: ApiObject, writeContext: WriteContext): void {
  const spec = specOf(service)
  if (!needsAddress(spec)) return
  if (textOf(spec['clusterIP']) === '' && textsOf(spec['clusterIPs']).length === 0) {
    spec['clusterIP'] = freeAddress(service, writeContext)
  }
  if (textsOf(spec['clusterIPs']).length === 0) spec['clusterIPs'] = [spec['clusterIP']]
  fill(
    spec,
    isBound(spec)
      ? { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }
      : { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
  )
  if (needsNodePorts(spec)) giveNodePorts(service, writeContext)
}

/** Keeps allocated values that the client left out. */
function keepAllocated(spec: Fields, old: Fields): void {
  const mine = textOf(spec['clusterIP'])
  const before = textOf(old['clusterIP'])
  if (needsAddress(spec) && needsAddress(old)) {
    if (mine === '') Object.assign(spec, { clusterIP: before, clusterIPs: old['clusterIPs'] })
    else if (textsOf(spec['clusterIPs'])[0] === before) spec['clusterIPs'] = [mine]
    fill(spec, { ipFamilies: old['ipFamilies'], ipFamilyPolicy: old['ipFamilyPolicy'] })
  }
  if (!needsNodePorts(spec) || !needsNodePorts(old)) return
  const given = items(old['ports'])
  for (const port of items(spec['ports'])) {
    const same = given.find((each) => portKey(each) === portKey(port))
    if (same?.['nodePort']) fill(port, { nodePort: same['nodePort'] })
  }
}

const portKey = ({ protocol, port }: Fields): string =>
  `${Number(port)}/${textOf(protocol) || 'TCP'}`

const addressFields = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']

/** Removes fields that the new service type does not use. */
function dropOutdated(spec: Fields, old: Fields): void {
  if (needsAddress(old) && !needsAddress(spec)) {
    for (const field of [...addressFields, 'internalTrafficPolicy']) delete spec[field]
  }
  if (needsNodePorts(old) && !needsNodePorts(spec)) {
    delete spec['externalTrafficPolicy']
    const had = new Set(items(old['ports']).map(({ nodePort }) => nodePort))
    for (const port of items(spec['ports'])) if (had.has(port['nodePort'])) delete port['nodePort']
  }
  if (typeOf(spec) !== 'LoadBalancer' && typeOf(old) === 'LoadBalancer') {
    delete spec['allocateLoadBalancerNodePorts']
  }
}
