/** Labels of Kubernetes' own domains that a kubelet may set on its Node. */
const nodesOwn: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])
const nodesDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const restrictedDomain = 'node-restriction.kubernetes.io'

type Labels = Readonly<Record<string, string>>

/** The changed labels that a kubelet must not set on its own Node, in order. */
export function forbiddenLabels(after: Labels = {}, before: Labels = {}): string[] {
  const all = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...all].filter((key) => after[key] !== before[key] && isForbidden(key)).sort()
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  const isWithin = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`)
  if (isWithin(restrictedDomain)) return true
  if (!isWithin('kubernetes.io') && !isWithin('k8s.io')) return false
  return !nodesOwn.has(key) && !nodesDomains.some(isWithin)
}
