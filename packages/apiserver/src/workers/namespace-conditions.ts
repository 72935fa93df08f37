import type { Condition } from '@machinist/core/objects/resource'

/** Remaining content of a terminating namespace. */
export interface NamespaceRemains {
  /** Number of objects by `plural.group`. */
  readonly resources: ReadonlyMap<string, number>
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

/** The conditions of a terminating namespace. */
export function namespaceConditions(
  before: readonly Condition[],
  { resources, finalizers }: NamespaceRemains,
  now: string,
): Condition[] {
  const current = [
    ...alwaysSuccessful,
    resources.size === 0
      ? fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : wrong(
          'NamespaceContentRemaining',
          'SomeResourcesRemain',
          `Some resources are remaining: ${listed(resources, 'has')}`,
        ),
    finalizers.size === 0
      ? fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : wrong(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${listed(finalizers, 'in')}`,
        ),
  ]
  const others = before.filter(({ type }) => !current.some((each) => each.type === type))
  const dated = current.map((each) => withTime(each, before, now))
  return [...others, ...dated]
}

type Undated = Omit<Condition, 'lastTransitionTime'>

const fine = (type: string, reason: string, message: string): Undated => ({
  type,
  status: 'False',
  reason,
  message,
})

const wrong = (type: string, reason: string, message: string): Undated => ({
  type,
  status: 'True',
  reason,
  message,
})

/** These deletions cannot fail here, since the server deletes the objects itself. */
const alwaysSuccessful = [
  fine(
    'NamespaceDeletionDiscoveryFailure',
    'ResourcesDiscovered',
    'All resources successfully discovered',
  ),
  fine(
    'NamespaceDeletionGroupVersionParsingFailure',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ),
  fine(
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ),
]

const listed = (counts: ReadonlyMap<string, number>, word: string): string =>
  [...counts]
    .map(([what, count]) => `${what} ${word} ${count} resource instances`)
    .sort()
    .join(', ')

function withTime(
  { type, status, reason, message }: Undated,
  before: readonly Condition[],
  now: string,
): Condition {
  const old = before.find((each) => each.type === type)
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now
  return { type, status, lastTransitionTime, reason, message }
}
