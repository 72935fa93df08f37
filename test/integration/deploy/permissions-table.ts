import type { PolicyRule } from '@machinist/kube/kinds/rbac'
import type { AnyRole } from './atoms.ts'

/** Permissions as table rows: namespace, resources, verbs. Cluster-wide permissions come first. */
export function permissionsTable(roles: readonly AnyRole[]): string[][] {
  const inOrder = roles.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  return inOrder.flatMap((role) =>
    (role.rules ?? []).map((rule) => [
      placeOf(role) === '' ? 'everywhere' : `\`${placeOf(role)}\``,
      whatIn(rule),
      rule.verbs.join(', '),
    ]),
  )
}

const placeOf = ({ metadata }: AnyRole): string => metadata.namespace ?? ''

function whatIn({ apiGroups = [], resources = [], resourceNames }: PolicyRule): string {
  const [group = ''] = apiGroups
  const kinds = resources.map((resource) => `\`${resource}\``).join(', ')
  const whose = group.endsWith('.openshift.io') && group !== ours ? ` of \`${group}\`` : ''
  const which = (resourceNames ?? []).map((name) => `\`${name}\``).join(', ')
  return `${kinds}${whose}${which === '' ? '' : `: ${which}`}`
}

/** Resources are unambiguous without their group, except OpenShift's: config.openshift.io has nodes, too. */
const ours = 'machineconfiguration.openshift.io'

/** The rows of the first table after this heading in a page. */
export function tableUnder(heading: string, page: string): string[][] {
  const [, after = ''] = page.split(`\n${heading}\n`)
  const [section = ''] = after.split(/^#/m)
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
