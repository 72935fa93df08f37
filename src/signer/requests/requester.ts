import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { namespaces } from '../../api/names.ts'

/** The sender of a request, as the API server recorded it. */
export type Requester =
  | { readonly type: 'node'; readonly node: string }
  | { readonly type: 'bootstrapper' }
  | { readonly type: 'other' }

/** The prefix of kubelets' user names; the name of the node follows. */
export const nodeUser = 'system:node:'
export const nodeGroup = 'system:nodes'

const bootstrappers = 'system:bootstrappers'
const accountGroup = `system:serviceaccounts:${namespaces.operator}`
const bootstrapAccount = `system:serviceaccount:${namespaces.operator}:node-bootstrapper`

export function requesterOf({ username = '', groups = [] }: Sender): Requester {
  if (username.startsWith(nodeUser)) {
    if (!groups.includes(nodeGroup)) return { type: 'other' }
    return { type: 'node', node: username.slice(nodeUser.length) }
  }
  const isAccount = username === bootstrapAccount && groups.includes(accountGroup)
  return isAccount || groups.includes(bootstrappers) ? { type: 'bootstrapper' } : { type: 'other' }
}

type Sender = Pick<CertificateSigningRequest['spec'], 'username' | 'groups'>
