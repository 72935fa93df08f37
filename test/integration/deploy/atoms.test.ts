import { expect, it } from 'vitest'
import type { PermissionAtom } from './atoms.ts'
import { allows, formatAtom, atomsOf, rulesWithout } from './atoms.ts'
import type { RecordedRequest } from './recorded-request.ts'

const role = {
  metadata: { name: 'r', namespace: 'n' },
  rules: [
    {
      apiGroups: [''],
      resources: ['secrets', 'configmaps'],
      resourceNames: ['a', 'b'],
      verbs: ['get', 'list'],
    },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  ],
}

const request: RecordedRequest = {
  user: 'u',
  groups: [],
  verb: 'get',
  group: '',
  resource: 'secrets',
  namespace: 'n',
  name: 'a',
  code: 200,
}

const atom = (words: string): PermissionAtom =>
  atomsOf(role).find((one) => formatAtom(one) === `Role n/r: ${words}`)!

it('a role is split into its atoms', () => {
  expect(atomsOf(role).map(formatAtom)).toEqual([
    'Role n/r: get secrets a',
    'Role n/r: get secrets b',
    'Role n/r: get configmaps a',
    'Role n/r: get configmaps b',
    'Role n/r: list secrets a',
    'Role n/r: list secrets b',
    'Role n/r: list configmaps a',
    'Role n/r: list configmaps b',
    'Role n/r: list pods',
  ])
})

it('an atom allows requests with its verb, resource, name and namespace only', () => {
  expect(allows(atom('get secrets a'), request)).toBe(true)
  expect(allows(atom('get secrets b'), request)).toBe(false)
  expect(allows(atom('get secrets a'), { ...request, namespace: 'other' })).toBe(false)
  expect(allows(atom('get secrets a'), { ...request, resource: 'secrets/status' })).toBe(false)
  expect(allows(atom('list pods'), { ...request, verb: 'list', resource: 'pods' })).toBe(true)
})

it.each(atomsOf(role).map((one) => [formatAtom(one), one] as const))(
  'removing "%s" keeps all other atoms',
  (words, one) => {
    const left = atomsOf({ ...role, rules: rulesWithout(one) }).map(formatAtom)
    const others = atomsOf(role)
      .map(formatAtom)
      .filter((each) => each !== words)
    expect(left.sort()).toEqual(others.sort())
  },
)
