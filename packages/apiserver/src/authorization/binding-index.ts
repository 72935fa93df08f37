import type { UserInfo } from '../identity/user-info.ts'
import { serviceAccountUser } from '../identity/user-info.ts'
import type { AnyBinding, Subject } from './rbac-objects.ts'

/** Bindings by subject, so that a decision reads only those of the user. */
export class BindingIndex {
  readonly #bindings = new Map<string, AnyBinding>()
  readonly #bySubject = new Map<string, Set<AnyBinding>>()

  set(binding: AnyBinding): void {
    this.remove(binding)
    this.#bindings.set(keyOf(binding), binding)
    for (const key of subjectKeys(binding)) {
      const bound = this.#bySubject.get(key)
      if (bound) bound.add(binding)
      else this.#bySubject.set(key, new Set([binding]))
    }
  }

  remove(binding: AnyBinding): void {
    const present = this.#bindings.get(keyOf(binding))
    if (!present) return
    this.#bindings.delete(keyOf(binding))
    for (const key of subjectKeys(present)) {
      const bound = this.#bySubject.get(key)
      bound?.delete(present)
      if (bound?.size === 0) this.#bySubject.delete(key)
    }
  }

  /** The bindings of this user in this namespace ('' for none): cluster-wide first, then by name. */
  of(user: UserInfo, namespace: string): AnyBinding[] {
    const found = new Set<AnyBinding>()
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const keys = [
        `${scope}|u:${user.username}`,
        ...user.groups.map((name) => `${scope}|g:${name}`),
      ]
      for (const key of keys) {
        for (const binding of this.#bySubject.get(key) ?? []) found.add(binding)
      }
    }
    return [...found].sort(byKey)
  }
}

/** Whether a subject of a binding includes this user. */
export function isSubject(subject: Subject, user: UserInfo): boolean {
  if (subject.kind === 'Group') return user.groups.includes(subject.name)
  return userOf(subject) === user.username
}

/** The user name of a subject; undefined for groups and unknown kinds. */
function userOf({ kind, name, namespace }: Subject): string | undefined {
  if (kind === 'User') return name
  if (kind === 'ServiceAccount' && namespace) return serviceAccountUser(namespace, name)
  return undefined
}

function subjectKeys(binding: AnyBinding): string[] {
  const scope = scopeOf(binding)
  return (binding.subjects ?? []).flatMap((subject) => {
    if (subject.kind === 'Group') return [`${scope}|g:${subject.name}`]
    const user = userOf(subject)
    return user === undefined ? [] : [`${scope}|u:${user}`]
  })
}

const scopeOf = ({ kind, metadata }: AnyBinding): string =>
  kind === 'RoleBinding' ? (metadata.namespace ?? '') : ''

const keyOf = (binding: AnyBinding): string =>
  `${binding.kind}/${scopeOf(binding)}/${binding.metadata.name}`

const byKey = (a: AnyBinding, b: AnyBinding): number => (keyOf(a) < keyOf(b) ? -1 : 1)
