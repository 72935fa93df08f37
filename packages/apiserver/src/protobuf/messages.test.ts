import { describe, expect, it } from 'vitest'
import { messagesOf } from './message-text.ts'
import { messageNamed, messageOfKind, openApiName } from './messages.ts'

describe('messagesOf', () => {
  it('parses roles, names and fields', () => {
    const [pod, volume] = messagesOf(
      'core',
      'kind Pod: 1 metadata meta.ObjectMeta, 2 nodes []Node!,\n  3 left *int32?\nVolume: 2 ...Source',
    )
    expect(pod).toMatchObject({ name: 'core.Pod', role: 'kind' })
    expect(volume).toMatchObject({ name: 'core.Volume', role: 'part' })
    expect([...pod!.fields.values(), ...volume!.fields.values()]).toEqual([
      {
        number: 1,
        name: 'metadata',
        type: 'meta.ObjectMeta',
        shape: 'one',
        pointer: false,
        always: false,
        required: false,
      },
      {
        number: 2,
        name: 'nodes',
        type: 'core.Node',
        shape: 'list',
        pointer: false,
        always: true,
        required: true,
      },
      {
        number: 3,
        name: 'left',
        type: 'int32',
        shape: 'one',
        pointer: true,
        always: true,
        required: false,
      },
      {
        number: 2,
        name: '',
        type: 'core.Source',
        shape: 'one',
        pointer: false,
        always: false,
        required: false,
      },
    ])
  })
})

describe('the tables', () => {
  const scalars =
    'string bool int32 int64 double bytes Quantity IntOrString Time MicroTime FieldsV1 JSON'.split(
      ' ',
    )

  it('reference only existing messages', () => {
    const seen = new Set<string>()
    const missing: string[] = []
    const visit = (name: string): void => {
      if (seen.has(name) || scalars.includes(name)) return
      seen.add(name)
      const message = messageNamed(name)
      if (!message) missing.push(name)
      for (const field of message?.fields.values() ?? []) visit(field.type)
    }
    for (const kind of ['core.Pod', 'core.Node', 'core.Service', 'core.Event', 'core.Secret']) {
      visit(kind)
    }
    for (const kind of ['apps.Deployment', 'apps.DaemonSet', 'rbac.ClusterRole']) visit(kind)
    for (const kind of ['policy.Eviction', 'certificates.CertificateSigningRequest']) visit(kind)
    visit('apiextensions.CustomResourceDefinition')
    visit('authorization.SubjectAccessReview')
    expect(missing).toEqual([])
    expect(seen.size).toBeGreaterThan(180)
  })

  it('find kinds by group version', () => {
    expect(messageOfKind('v1', 'Pod')?.name).toBe('core.Pod')
    expect(messageOfKind('events.k8s.io/v1', 'Event')?.name).toBe('events.Event')
    expect(messageOfKind('rbac.authorization.k8s.io/v1', 'Role')?.name).toBe('rbac.Role')
    expect(messageOfKind('v1', 'PodSpec')).toBeUndefined()
    expect(messageOfKind('v2', 'Pod')).toBeUndefined()
    expect(messageOfKind('v1', 'constructor')).toBeUndefined()
  })

  it('have DeleteOptions in every group version', () => {
    expect(messageOfKind('v1', 'DeleteOptions')?.name).toBe('meta.DeleteOptions')
    expect(messageOfKind('example.com/v7', 'DeleteOptions')?.name).toBe('meta.DeleteOptions')
  })

  it('use the names of OpenAPI documents', () => {
    expect(openApiName('core.PodSpec')).toBe('io.k8s.api.core.v1.PodSpec')
    expect(openApiName('meta.ObjectMeta')).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
  })
})
