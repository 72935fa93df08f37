import { expect, it } from 'vitest'
import type { Atom } from './atoms.ts'
import { allows, atomInWords, atomsOf, rulesWithout } from './atoms.ts'
import type { Recorded } from './recorded.ts'

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

const request: Recorded = {
  user: 'u',
  groups: [],
  verb: 'get',
  group: '',
  resource: 'secrets',
  namespace: 'n',
  name: 'a',
  code: 200,
}

const atom = (words: string): Atom =>
  atomsOf(role).find((one) => atomInWords(one) === `Role n/r: ${words}`)!

it('a role falls into its atoms', () => {
  expect(atomsOf(role).map(atomInWords)).toEqual([
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

it('an atom allows what it says, where it says it', () => {
  expect(allows(atom('get secrets a'), request)).toBe(true)
  expect(allows(atom('get secrets b'), request)).toBe(false)
  expect(allows(atom('get secrets a'), { ...request, namespace: 'other' })).toBe(false)
  expect(allows(atom('get secrets a'), { ...request, resource: 'secrets/status' })).toBe(false)
  expect(allows(atom('list pods'), { ...request, verb: 'list', resource: 'pods' })).toBe(true)
})

it.each(atomsOf(role).map((one) => [atomInWords(one), one] as const))(
  'without "%s" all others are left',
  (words, one) => {
    const left = atomsOf({ ...role, rules: rulesWithout(one) }).map(atomInWords)
    const others = atomsOf(role)
      .map(atomInWords)
      .filter((each) => each !== words)
    expect(left.sort()).toEqual(others.sort())
  },
)
