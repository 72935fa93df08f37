import { describe, expect, it } from 'vitest'
import { builtInKinds } from '../kinds/catalog/built-in-kinds.ts'
import { KindRegistry } from '../kinds/kind-registry.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { converted, EquivalentKinds } from './equivalent-kinds.ts'
import type { MatchResources } from './policies/policy-objects.ts'
import { ResourceMatcher } from './resource-matching.ts'

const kinds = new KindRegistry(builtInKinds)
const kindOf = (group: string, plural: string): ServedKind => kinds.find(group, 'v1', plural)!
const equivalents = new EquivalentKinds(kinds)

const object = (labels: Record<string, string> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'a', labels },
})

function request(kind: ServedKind, change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    user: { username: 'jane', groups: [] },
    operation: 'CREATE',
    kind,
    objectKind: kind,
    name: 'a',
    namespace: kind.namespaced ? 'x' : '',
    dryRun: false,
    options: {},
    object: object(),
    warn: () => {},
    ...change,
  }
}

function match(
  resources: MatchResources,
  requested: AdmissionRequest,
  labels: Record<string, string> | undefined = {},
): string | undefined {
  const kind = new ResourceMatcher(resources).match(requested, {
    equivalents: equivalents.of(requested.kind),
    namespaceLabels: () => labels,
  })
  return kind && `${kind.group}/${kind.plural}`
}

const all = { apiVersions: ['*'], operations: ['*'] }
const events = { ...all, apiGroups: ['events.k8s.io'], resources: ['events'] }
const pods = { ...all, apiGroups: [''], resources: ['pods'] }

describe('resource matching', () => {
  it('matches everything without rules', () => {
    expect(match({}, request(kindOf('', 'pods')))).toBe('/pods')
  })

  it('matches rules, except exclusions', () => {
    const requested = request(kindOf('', 'pods'))
    expect(match({ resourceRules: [pods] }, requested)).toBe('/pods')
    expect(match({ resourceRules: [events] }, requested)).toBeUndefined()
    expect(
      match(
        { resourceRules: [pods], excludeResourceRules: [{ ...pods, resourceNames: ['a'] }] },
        requested,
      ),
    ).toBeUndefined()
  })

  it('matches an equivalent kind, unless Exact', () => {
    const requested = request(kindOf('', 'events'))
    const policy = { resourceRules: [events], matchPolicy: 'Equivalent' }
    expect(match(policy, requested)).toBe('events.k8s.io/events')
    expect(match({ ...policy, matchPolicy: 'Exact' }, requested)).toBeUndefined()
    expect(match({ excludeResourceRules: [events] }, requested)).toBeUndefined()
  })

  it('matches labels of the old or the new object', () => {
    const guarded = { objectSelector: { matchLabels: { guarded: 'yes' } } }
    const has = object({ guarded: 'yes' })
    const pod = kindOf('', 'pods')
    expect(match(guarded, request(pod))).toBeUndefined()
    expect(match(guarded, request(pod, { object: has }))).toBe('/pods')
    expect(match(guarded, request(pod, { before: has }))).toBe('/pods')
    expect(match(guarded, request(pod, { object: undefined, before: has }))).toBe('/pods')
  })

  it('matches labels of the namespace, for namespaced objects', () => {
    const inside = { namespaceSelector: { matchLabels: { a: 'b' } } }
    const pod = request(kindOf('', 'pods'))
    expect(match(inside, pod, { a: 'b' })).toBe('/pods')
    expect(match(inside, pod, { a: 'c' })).toBeUndefined()
    expect(match(inside, pod, undefined)).toBeUndefined()
    expect(match(inside, request(kindOf('', 'nodes')), undefined)).toBe('/nodes')
    const namespace = request(kindOf('', 'namespaces'), { namespace: 'a' })
    expect(match(inside, namespace, { a: 'c' })).toBeUndefined()
  })
})

describe('equivalent kinds', () => {
  it('include both groups of events', () => {
    const groups = equivalents.of(kindOf('', 'events')).map(({ group }) => group)
    expect(groups).toEqual(['events.k8s.io'])
    expect(equivalents.of(kindOf('', 'pods'))).toEqual([])
  })

  it('include new CRDs', () => {
    const changing = new KindRegistry(builtInKinds)
    const known = new EquivalentKinds(changing)
    const one = { ...kindOf('', 'pods'), group: 'example.org', plural: 'widgets', builtIn: false }
    expect(known.of(one)).toEqual([])
    changing.replace('example.org', 'widgets', [one, { ...one, version: 'v2' }])
    expect(known.of(one).map(({ version }) => version)).toEqual(['v2'])
  })

  it('convert the same object', () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'x', resourceVersion: '7' },
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'm',
    }
    const shown = converted(event, kindOf('', 'events'), kindOf('events.k8s.io', 'events'))
    expect(shown).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e', resourceVersion: '7' },
      regarding: { kind: 'Pod', name: 'p' },
      note: 'm',
    })
    expect(converted(event, kindOf('', 'events'), kindOf('', 'events'))).toBe(event)
  })
})
