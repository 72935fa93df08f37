import { describe, expect, it } from 'vitest'
import { plainView } from './view.ts'

describe('the plain view', () => {
  const custom = plainView({
    apiVersion: 'example.com/v1',
    kind: 'Foo',
    listKind: 'FooList',
    builtIn: false,
  })

  it('shows an object in the version that is asked for', () => {
    const stored = { apiVersion: 'example.com/v1beta1', kind: 'Foo', metadata: { name: 'a' } }
    expect(JSON.parse(custom.object(stored))).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Foo',
      metadata: { name: 'a' },
    })
    expect(stored.apiVersion).toBe('example.com/v1beta1')
  })

  it('has bookmarks for custom resources as kube-apiserver has', () => {
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
