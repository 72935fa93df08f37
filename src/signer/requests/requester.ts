import { namespaces } from '../../api/names.ts'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'

/** Who sent a request, as the API server noted it. */
export type Requester =
  | { readonly is: 'node'; readonly node: string }
  | { readonly is: 'bootstrapper' }
  | { readonly is: 'other' }

/** What the users of kubelets are called, with the node's name behind it. */
export const nodeUser = 'system:node:'
export const nodeGroup = 'system:nodes'

const bootstrappers = 'system:bootstrappers'
const accountGroup = `system:serviceaccounts:${namespaces.operator}`
const bootstrapAccount = `system:serviceaccount:${namespaces.operator}:node-bootstrapper`

export function requesterOf({ username = '', groups = [] }: Sender): Requester {
  if (username.startsWith(nodeUser)) {
    if (!groups.includes(nodeGroup)) return { is: 'other' }
    return { is: 'node', node: username.slice(nodeUser.length) }
  }
  const isAccount = username === bootstrapAccount && groups.includes(accountGroup)
  return isAccount || groups.includes(bootstrappers) ? { is: 'bootstrapper' } : { is: 'other' }
}

type Sender = Pick<CertificateSigningRequest['spec'], 'username' | 'groups'>
