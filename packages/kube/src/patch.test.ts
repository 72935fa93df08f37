import { describe, expect, it } from 'vitest'
import { apply, ifUnchanged, jsonPatch, jsonPointer, mergePatch, strategicPatch } from './patch.ts'

describe('a patch', () => {
  it('has the content type of its format', () => {
    expect(mergePatch({ a: null })).toEqual({
      contentType: 'application/merge-patch+json',
      body: { a: null },
    })
    expect(strategicPatch({ a: 1 })).toEqual({
      contentType: 'application/strategic-merge-patch+json',
      body: { a: 1 },
    })
    expect(jsonPatch([{ op: 'remove', path: '/a' }])).toEqual({
      contentType: 'application/json-patch+json',
      body: [{ op: 'remove', path: '/a' }],
    })
  })

  it('for server-side apply omits managedFields and does not modify the object', () => {
    const object = { kind: 'Node', metadata: { name: 'n', managedFields: [{ manager: 'x' }] } }
    expect(apply(object, { fieldManager: 'machinist' })).toEqual({
      contentType: 'application/apply-patch+yaml',
      body: { kind: 'Node', metadata: { name: 'n' } },
      fieldManager: 'machinist',
    })
    expect(object.metadata.managedFields).toEqual([{ manager: 'x' }])
  })
})

describe('JSON patch operations', () => {
  it('escape slashes and tildes in paths', () => {
    expect(jsonPointer('metadata', 'annotations', 'example.com/a~b', 0)).toBe(
      '/metadata/annotations/example.com~1a~0b/0',
    )
    expect(jsonPointer()).toBe('')
  })

  it('can require that the object is unchanged', () => {
    const seen = { metadata: { name: 'n', resourceVersion: '42' } }
    expect(ifUnchanged(seen, [{ op: 'add', path: '/x', value: 1 }])).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '42' },
      { op: 'add', path: '/x', value: 1 },
    ])
    expect(() => ifUnchanged({ metadata: { name: 'n' } }, [])).toThrow(
      'n has no resourceVersion: it was not read from a server',
    )
  })
})
