import type { Column } from '../../kinds/served-kind.ts'
import { humanDuration } from '../human-duration.ts'
import type { KubeJson } from './cells.ts'
import { ageColumn, at, column, listAt, textAt, wideColumn } from './cells.ts'

/** RoleBinding and ClusterRoleBinding. */
export const bindingColumns: readonly Column[] = [
  column('Role', (binding) => {
    const kind = textAt(binding, ['roleRef', 'kind'])
    return `${kind}/${textAt(binding, ['roleRef', 'name'])}`
  }),
  ageColumn,
  wideColumn('Users', subjects('User')),
  wideColumn('Groups', subjects('Group')),
  wideColumn('ServiceAccounts', subjects('ServiceAccount')),
]

export const signingRequestColumns: readonly Column[] = [
  ageColumn,
  column('SignerName', (request) => textAt(request, ['spec', 'signerName'], '<none>')),
  column('Requestor', (request) => textAt(request, ['spec', 'username'])),
  column('RequestedDuration', (request) => {
    const seconds = at(request, 'spec', 'expirationSeconds')
    return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>'
  }),
  column('Condition', condition),
]

function subjects(kind: string): (binding: KubeJson) => string {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => at(subject, 'kind') === kind)
      .map((subject) => {
        const name = textAt(subject, ['name'])
        return kind === 'ServiceAccount' ? `${textAt(subject, ['namespace'])}/${name}` : name
      })
      .join(', ')
}

function condition(request: KubeJson): string {
  const has = (type: string): boolean =>
    listAt(request, 'status', 'conditions').some((one) => at(one, 'type') === type)
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  const issued = textAt(request, ['status', 'certificate']) !== ''
  return `${decision}${has('Failed') ? ',Failed' : ''}${issued ? ',Issued' : ''}`
}
