import { describe, expect, it } from 'vitest'
import type { ObjectMeta } from '@machinist/core/resource'
import { metadataChangeProblems, metadataProblems } from './metadata-check.ts'

const said = (metadata: Partial<ObjectMeta>, builtIn = true): string[] =>
  metadataProblems({ name: 'a', ...metadata }, { builtIn }).map(
    ({ field, message }) => `${field}: ${message}`,
  )

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }

describe('metadata', () => {
  it('is good with all it may have', () => {
    expect(
      said({
        labels: { a: 'b' },
        annotations: { 'Example.org/A': 'anything at all' },
        finalizers: ['example.org/f', 'orphan'],
        ownerReferences: [owner, { ...owner, controller: true }],
      }),
    ).toEqual([])
  })

  it('has finalizers that say whose they are, except on custom resources', () => {
    const why = 'name is neither a standard finalizer name nor is it fully qualified'
    expect(said({ finalizers: ['short'] })).toEqual([
      `metadata.finalizers[0]: Invalid value: "short": ${why}`,
    ])
    expect(said({ finalizers: ['short'] }, false)).toEqual([])
  })

  it('does not both orphan and delete', () => {
    expect(said({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ])
  })

  it('has one controller at most, and whole owners', () => {
    const ruling = { ...owner, controller: true }
    const [cause] = said({ ownerReferences: [ruling, { ...ruling, name: 'q' }] })
    expect(cause).toContain('Found "true" in references for Pod/p and Pod/q')
    expect(said({ ownerReferences: [{ ...owner, uid: '' }] })).toEqual([
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ])
  })

  it('has no more annotations than fit', () => {
    const annotations = { a: 'x'.repeat(256 * 1024) }
    expect(said({ annotations })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
  })

  it('gets no new finalizers once it goes', () => {
    const before = { name: 'a', deletionTimestamp: 'now', finalizers: ['e.org/a'] }
    const after = { ...before, finalizers: ['e.org/a', 'e.org/b'] }
    expect(metadataChangeProblems(before, after).map(({ field }) => field)).toEqual([
      'metadata.finalizers',
    ])
    expect(metadataChangeProblems(before, { ...before, finalizers: [] })).toEqual([])
  })
})
