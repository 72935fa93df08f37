import { describe, expect, it } from 'vitest'
import { plainView } from './view.ts'

describe('the plain view', () => {
  const custom = plainView({
    apiVersion: 'example.com/v1',
    kind: 'Foo',
    listKind: 'FooList',
    builtIn: false,
  })

  it('has the object in the requested version', () => {
    const stored = { apiVersion: 'example.com/v1beta1', kind: 'Foo', metadata: { name: 'a' } }
    expect(JSON.parse(custom.object(stored))).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Foo',
      metadata: { name: 'a' },
    })
    expect(stored.apiVersion).toBe('example.com/v1beta1')
  })

  it('has the bookmarks of kube-apiserver for custom resources', () => {
    expect(JSON.parse(custom.bookmark('200', true))).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Foo',
      metadata: {
        annotations: {
          'k8s.io/initial-events-end': 'true',
          'kubernetes.io/initial-events-list-blueprint':
            'eyJhcGlWZXJzaW9uIjoiZXhhbXBsZS5jb20vdjEiLCJpdGVtcyI6W10sImtpbmQiOiJGb29MaXN0In0K',
        },
        resourceVersion: '200',
      },
    })
    expect(JSON.parse(custom.bookmark('200', false))).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Foo',
      metadata: { resourceVersion: '200' },
    })
  })
})
