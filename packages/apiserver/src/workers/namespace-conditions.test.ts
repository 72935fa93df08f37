import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namespaceConditions } from './namespace-conditions.ts'

const now = '2026-01-01T00:00:00Z'
const later = '2026-01-01T00:01:00Z'
const nothing = { resources: new Map<string, number>(), finalizers: new Map<string, number>() }

describe('the conditions of a terminating namespace', () => {
  it('list remaining objects and finalizers', () => {
    const resources = new Map([
      ['pods.', 2],
      ['configmaps.', 1],
      ['widgets.example.org', 3],
    ])
    const finalizers = new Map([['x.io/hold', 1]])
    const reported = namespaceConditions([], { resources, finalizers }, now)
    expect(reported.map(({ type, status }) => [type, status])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False'],
      ['NamespaceDeletionContentFailure', 'False'],
      ['NamespaceContentRemaining', 'True'],
      ['NamespaceFinalizersRemaining', 'True'],
    ])
    expect(reported.slice(3)).toEqual([
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        lastTransitionTime: now,
        reason: 'SomeResourcesRemain',
        message:
          'Some resources are remaining: configmaps. has 1 resource instances, pods. has 2 resource instances, widgets.example.org has 3 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        lastTransitionTime: now,
        reason: 'SomeFinalizersRemain',
        message:
          'Some content in the namespace has finalizers remaining: x.io/hold in 1 resource instances',
      },
    ])
  })

  it('are successful when nothing is left', () => {
    const reported = namespaceConditions([], nothing, now)
    expect(reported.map(({ reason }) => reason)).toEqual([
      'ResourcesDiscovered',
      'ParsedGroupVersions',
      'ContentDeleted',
      'ContentRemoved',
      'ContentHasNoFinalizers',
    ])
  })

  it('keep their times, and other conditions', () => {
    const counts = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}\.$/), fc.integer({ min: 1 }))
    fc.assert(
      fc.property(counts, counts, (resources, finalizers) => {
        const other = { type: 'Other', status: 'True', lastTransitionTime: now } as const
        const remains = {
          resources: new Map(Object.entries(resources)),
          finalizers: new Map(Object.entries(finalizers)),
        }
        const once = namespaceConditions([other], remains, now)
        expect(once[0]).toEqual(other)
        expect(namespaceConditions(once, remains, later)).toEqual(once)
      }),
      { numRuns: 100 },
    )
  })
})
