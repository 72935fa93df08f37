import type { SubjectAccessReview } from '@machinist/kube/kinds/authorization'
import { subjectAccessReviews } from '@machinist/kube/kinds/authorization'
import { clusterRoles, roles } from '@machinist/kube/kinds/rbac'
import type { KubeClient } from '@machinist/kube/client'
import { isForbidden } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { keyOf } from '@machinist/core/resource'
import type { PolicyRule } from '@machinist/kube/kinds/rbac'
import { until } from '@machinist/testing/until'
import type { AnyRole, Atom } from './atoms.ts'
import { allows, atomInWords, atomsOf, rulesWithout } from './atoms.ts'
import type { Recorded } from './recorded.ts'

/** What somebody did with their rights. */
export interface Needed {
  readonly requests: readonly Recorded[]
  /** For rights that no request is about, by their words: something that is let pass with such a right only. */
  readonly byTheWay?: ReadonlyMap<string, () => Promise<unknown>>
}

/**
 * Atoms of these roles that nobody needed: no request was made that they alone allow. Each is really taken away, the
 * server is asked whether it would still let the request pass, and then it is given back.
 */
export async function superfluous(
  client: KubeClient,
  all: readonly AnyRole[],
  { requests, byTheWay = new Map() }: Needed,
): Promise<string[]> {
  const perRole = all.map((role) => ({ role, own: atomsOf(role) }))
  const atoms = perRole.flatMap(({ own }) => own)
  const needing = (atom: Atom): (() => Promise<boolean>) | undefined => {
    const attempt = byTheWay.get(atomInWords(atom))
    if (attempt) return () => isLet(attempt)
    const only = requests.find(
      (request) =>
        allows(atom, request) && atoms.every((other) => other === atom || !allows(other, request)),
    )
    return only && (() => isAllowed(client, only))
  }
  const found = await Promise.all(
    perRole.map(async ({ role, own }) => {
      const useless: string[] = []
      for (const atom of own) {
        const may = needing(atom)
        if (!may || !(await isMissed(client, atom, may))) useless.push(atomInWords(atom))
      }
      await write(client, role, role.rules ?? [])
      return useless
    }),
  )
  return found.flat()
}

/** Far more than a server needs to hear of a change. */
const patienceMs = 10_000

async function isMissed(
  client: KubeClient,
  atom: Atom,
  may: () => Promise<boolean>,
): Promise<boolean> {
  await write(client, atom.role, rulesWithout(atom))
  return until('it is refused', async () => !(await may()), patienceMs).then(
    () => true,
    () => false,
  )
}

export async function isLet(attempt: () => Promise<unknown>): Promise<boolean> {
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

async function isAllowed(client: KubeClient, request: Recorded): Promise<boolean> {
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
