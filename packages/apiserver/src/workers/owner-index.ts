import type { ObjectMeta } from '@machinist/core/objects/resource'

type Owned = Pick<ObjectMeta, 'uid' | 'ownerReferences'>

/** Dependents by owner uid, without scanning all objects. */
export class OwnerIndex {
  readonly #keys = new Map<string, string>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #known = new Map<string, { uid: string | undefined; owners: readonly string[] }>()

  set(key: string, { uid, ownerReferences = [] }: Owned): void {
    this.delete(key)
    const owners = ownerReferences.map((owner) => owner.uid)
    this.#known.set(key, { uid, owners })
    if (uid) this.#keys.set(uid, key)
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner) ?? new Set()
      this.#dependents.set(owner, dependents.add(key))
    }
  }

  delete(key: string): void {
    const known = this.#known.get(key)
    if (!known) return
    this.#known.delete(key)
    if (known.uid && this.#keys.get(known.uid) === key) this.#keys.delete(known.uid)
    for (const owner of known.owners) {
      const dependents = this.#dependents.get(owner)
      dependents?.delete(key)
      if (dependents?.size === 0) this.#dependents.delete(owner)
    }
  }

  has(uid: string): boolean {
    return this.#keys.has(uid)
  }

  keyOf(uid: string): string | undefined {
    return this.#keys.get(uid)
  }

  uidOf(key: string): string | undefined {
    return this.#known.get(key)?.uid
  }

  ownersOf(key: string): readonly string[] {
    return this.#known.get(key)?.owners ?? []
  }

  /** A copy, since dependents can disappear during iteration. */
  dependentsOf(uid: string): string[] {
    return [...(this.#dependents.get(uid) ?? [])]
  }

  missingOwners(): string[] {
    return [...this.#dependents.keys()].filter((uid) => !this.#keys.has(uid))
  }
}
