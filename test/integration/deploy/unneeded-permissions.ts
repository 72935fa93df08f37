import type { SubjectAccessReview } from '@machinist/kube/kinds/authorization'
import { subjectAccessReviews } from '@machinist/kube/kinds/authorization'
import { clusterRoles, roles } from '@machinist/kube/kinds/rbac'
import type { KubeClient } from '@machinist/kube/client/client'
import { isForbidden } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { keyOf } from '@machinist/core/objects/resource'
import type { PolicyRule } from '@machinist/kube/kinds/rbac'
import { until } from '@machinist/testing/until'
import type { AnyRole, PermissionAtom } from './atoms.ts'
import { allows, formatAtom, atomsOf, rulesWithout } from './atoms.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** How a user or component used its permissions. */
export interface PermissionUse {
  readonly requests: readonly RecordedRequest[]
  /** For permissions that no request shows, by the formatted atom: an attempt that succeeds only with the permission. */
  readonly indirect?: ReadonlyMap<string, () => Promise<unknown>>
}

/**
 * Atoms of these roles that are not needed: no request was made that only they allow. Removes each atom from the role, asks the server
 * whether the request is still allowed, and restores the role.
 */
export async function unneededPermissions(
  client: KubeClient,
  all: readonly AnyRole[],
  { requests, indirect = new Map() }: PermissionUse,
): Promise<string[]> {
  const perRole = all.map((role) => ({ role, own: atomsOf(role) }))
  const atoms = perRole.flatMap(({ own }) => own)
  const needing = (atom: PermissionAtom): (() => Promise<boolean>) | undefined => {
    const attempt = indirect.get(formatAtom(atom))
    if (attempt) return () => isAllowedToRun(attempt)
    const only = requests.find(
      (request) =>
        allows(atom, request) && atoms.every((other) => other === atom || !allows(other, request)),
    )
    return only && (() => isAllowed(client, only))
  }
  const found = await Promise.all(
    perRole.map(async ({ role, own }) => {
      const unneeded: string[] = []
      for (const atom of own) {
        const may = needing(atom)
        if (!may || !(await isRequired(client, atom, may))) unneeded.push(formatAtom(atom))
      }
      await write(client, role, role.rules ?? [])
      return unneeded
    }),
  )
  return found.flat()
}

/** Far more than a server needs to observe a changed role. */
const timeoutMs = 10_000

async function isRequired(
  client: KubeClient,
  atom: PermissionAtom,
  may: () => Promise<boolean>,
): Promise<boolean> {
  await write(client, atom.role, rulesWithout(atom))
  return until('the request is rejected', async () => !(await may()), timeoutMs).then(
    () => true,
    () => false,
  )
}

export async function isAllowedToRun(attempt: () => Promise<unknown>): Promise<boolean> {
  return attempt().then(
    () => true,
    (error: unknown) => {
      if (isForbidden(error)) return false
      throw error
    },
  )
}

async function write(client: KubeClient, role: AnyRole, rules: PolicyRule[]): Promise<void> {
  const kind = role.metadata.namespace === undefined ? clusterRoles : roles
  await client.patch(kind, keyOf(role), mergePatch({ rules }))
}

async function isAllowed(client: KubeClient, request: RecordedRequest): Promise<boolean> {
  const { user, groups, verb, group, namespace, name } = request
  const [resource = '', subresource] = request.resource.split('/')
  const { status } = await client.create<SubjectAccessReview>(subjectAccessReviews, {
    metadata: { name: '' },
    spec: {
      user,
      groups: [...groups],
      resourceAttributes: {
        verb,
        group,
        resource,
        ...(subresource !== undefined && { subresource }),
        ...(namespace !== '' && { namespace }),
        ...(name !== '' && { name }),
      },
    },
  })
  return status?.allowed === true
}
