import { describe, expect, it } from 'vitest'
import type { ObjectMeta } from '@machinist/core/objects/resource'
import { metadataChangeProblems, metadataProblems } from './metadata-check.ts'

const reported = (metadata: Partial<ObjectMeta>, builtIn = true): string[] =>
  metadataProblems({ name: 'a', ...metadata }, { builtIn }).map(
    ({ field, message }) => `${field}: ${message}`,
  )

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }

describe('metadata', () => {
  it('is valid with all fields', () => {
    expect(
      reported({
        labels: { a: 'b' },
        annotations: { 'Example.org/A': 'anything at all' },
        finalizers: ['example.org/f', 'orphan'],
        ownerReferences: [owner, { ...owner, controller: true }],
      }),
    ).toEqual([])
  })

  it('has qualified finalizers, except on custom resources', () => {
    const why = 'name is neither a standard finalizer name nor is it fully qualified'
    expect(reported({ finalizers: ['short'] })).toEqual([
      `metadata.finalizers[0]: Invalid value: "short": ${why}`,
    ])
    expect(reported({ finalizers: ['short'] }, false)).toEqual([])
  })

  it('cannot have both orphan and foregroundDeletion', () => {
    expect(reported({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ])
  })

  it('has at most one controller, and complete owners', () => {
    const ruling = { ...owner, controller: true }
    const [cause] = reported({ ownerReferences: [ruling, { ...ruling, name: 'q' }] })
    expect(cause).toContain('Found "true" in references for Pod/p and Pod/q')
    expect(reported({ ownerReferences: [{ ...owner, uid: '' }] })).toEqual([
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ])
  })

  it('has a size limit for annotations', () => {
    const annotations = { a: 'x'.repeat(256 * 1024) }
    expect(reported({ annotations })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
  })

  it('gets no new finalizers during deletion', () => {
    const before = { name: 'a', deletionTimestamp: 'now', finalizers: ['e.org/a'] }
    const after = { ...before, finalizers: ['e.org/a', 'e.org/b'] }
    expect(metadataChangeProblems(before, after).map(({ field }) => field)).toEqual([
      'metadata.finalizers',
    ])
    expect(metadataChangeProblems(before, { ...before, finalizers: [] })).toEqual([])
  })
})
