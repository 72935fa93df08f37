import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { accessReview } from '../../src/authorization/access-reviews.ts'
import { Authorizer } from '../../src/authorization/authorizer.ts'
import { defaultClusterRoleBindings } from '../../src/authorization/default-bindings.ts'
import { defaultClusterRoles } from '../../src/authorization/default-roles.ts'
import type { Question } from './decision-questions.ts'
import { objects, questions } from './decision-questions.ts'
import { naivelyAllowedBy } from './naive-rbac.ts'

interface Recorded extends Question {
  readonly status: { readonly allowed: boolean; readonly reason?: string }
}

const recorded = JSON.parse(
  readFileSync(new URL('recorded-decisions.json', import.meta.url), 'utf8'),
) as Recorded[]
const born = JSON.parse(
  readFileSync(new URL('recorded-defaults.json', import.meta.url), 'utf8'),
) as { kind: string; metadata: { name: string }; rules?: unknown; aggregationRule?: unknown }[]

const all = [...defaultClusterRoles(), ...defaultClusterRoleBindings(), ...objects]
const authorizer = new Authorizer()
for (const object of all) authorizer.update({ type: 'present', object })

describe('the decisions of a real kube-apiserver', () => {
  it('were recorded for these questions', () => {
    const requested = recorded.map(({ user, groups, attributes }) => ({ user, groups, attributes }))
    expect(requested).toEqual(questions)
    expect(recorded.length).toBeGreaterThan(300)
  })

  it('are the same here', () => {
    const differ = recorded.filter(({ user, groups, attributes, status }) => {
      return authorizer.allowed({ username: user, groups }, attributes).allowed !== status.allowed
    })
    expect(differ).toEqual([])
  })

  it('have the same reason here, if only one binding can be the reason', () => {
    const single = recorded.filter(({ user, groups, attributes }) => {
      return naivelyAllowedBy(all, { username: user, groups }, attributes).length < 2
    })
    expect(single.length).toBeGreaterThan(300)
    for (const { user, groups, attributes, status } of single) {
      const requested = 'path' in attributes ? 'nonResourceAttributes' : 'resourceAttributes'
      expect(accessReview(authorizer, { user, groups, [requested]: attributes })).toEqual(status)
    }
  })
})

describe('the default RBAC objects', () => {
  const real = new Map(born.map((object) => [`${object.kind} ${object.metadata.name}`, object]))

  it.each(defaultClusterRoles())('have the rules of kube-apiserver: $metadata.name', (role) => {
    const same = real.get(`ClusterRole ${role.metadata.name}`)!
    // A controller fills the rules of an aggregating role; there was none during the recording.
    expect(role.aggregationRule ? { ...role, rules: null } : role).toEqual(same)
  })

  it.each(defaultClusterRoleBindings())(
    'have the subjects of kube-apiserver: $metadata.name',
    (binding) => {
      expect(binding).toEqual(real.get(`ClusterRoleBinding ${binding.metadata.name}`))
    },
  )
})
