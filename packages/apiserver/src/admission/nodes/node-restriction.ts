import { sameJson } from '@machinist/core/encoding/json'
import type { UserInfo } from '../../identity/user-info.ts'
import { forbiddenObject } from '../../authorization/forbidden.ts'
import { readSigningRequest } from '../../kinds/certificates/signing-request.ts'
import { specOf, textOf } from '../../kinds/fields.ts'
import type { AdmissionRequest } from '../admission-request.ts'
import { forbiddenLabels } from './node-labels.ts'
import { podProblem, tokenProblem } from './node-restriction-pods.ts'
import type { FindObject, NodeWrite } from './node-write.ts'

const userPrefix = 'system:node:'
const leaseNamespace = 'kube-node-lease'
const nodeSigners: ReadonlySet<string> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
])

/** The admission plugin NodeRestriction for the kinds served here: a kubelet writes only its own objects. */
export function restrictNode(request: AdmissionRequest, find: FindObject): void {
  const node = nodeOf(request.user)
  if (node === undefined) return
  const why =
    node === ''
      ? `could not determine node from user ${JSON.stringify(request.user.username)}`
      : problemOf({ node, request, find })
  if (why === undefined) return
  const { kind, name } = request
  throw forbiddenObject({ group: kind.group, resource: kind.plural, name }, why)
}

function nodeOf({ username, groups }: UserInfo): string | undefined {
  const isNode = username.startsWith(userPrefix) && groups.includes('system:nodes')
  return isNode ? username.slice(userPrefix.length) : undefined
}

function problemOf(write: NodeWrite): string | undefined {
  const { group, plural } = write.request.kind
  return checks[`${group}/${plural}`]?.(write)
}

const checks: Readonly<Record<string, (write: NodeWrite) => string | undefined>> = {
  '/nodes': nodeProblem,
  '/pods': podProblem,
  '/serviceaccounts': tokenProblem,
  'coordination.k8s.io/leases': leaseProblem,
  'certificates.k8s.io/certificatesigningrequests': signingProblem,
}

function nodeProblem({ node, request }: NodeWrite): string | undefined {
  const { operation, name, object, before } = request
  if (name !== node) return `node "${node}" is not allowed to modify node "${name}"`
  if (!object || operation === 'DELETE') return undefined
  const labels = forbiddenLabels(object.metadata.labels, before?.metadata.labels).join(', ')
  if (!before) {
    if (specOf(object)['configSource'] !== undefined) {
      return `node "${node}" is not allowed to create pods with a non-nil configSource`
    }
    return labels === ''
      ? undefined
      : `node "${node}" is not allowed to set the following labels: ${labels}`
  }
  const [spec, old] = [specOf(object), specOf(before)]
  const source = spec['configSource']
  if (source !== undefined && !sameJson(source, old['configSource'])) {
    return `node "${node}" is not allowed to update configSource to a new non-nil configSource`
  }
  if (!sameJson(spec['taints'] ?? [], old['taints'] ?? [])) {
    return `node "${node}" is not allowed to modify taints`
  }
  return labels === '' ? undefined : `is not allowed to modify labels: ${labels}`
}

function leaseProblem({ node, request: { namespace, name } }: NodeWrite): string | undefined {
  if (namespace !== leaseNamespace) {
    return `can only access leases in the "${leaseNamespace}" system namespace`
  }
  if (name === node) return undefined
  return 'can only access node lease with the same name as the requesting node'
}

function signingProblem({ node, request }: NodeWrite): string | undefined {
  const { operation, object } = request
  if (operation !== 'CREATE' || !object) return undefined
  const spec = specOf(object)
  if (!nodeSigners.has(textOf(spec['signerName']))) return undefined
  const read = readSigningRequest(Buffer.from(textOf(spec['request']), 'base64').toString('latin1'))
  if ('problem' in read) return `unable to parse csr: ${read.problem}`
  const name = `${userPrefix}${node}`
  return read.commonName === name ? undefined : `can only create a node CSR with CN=${name}`
}
