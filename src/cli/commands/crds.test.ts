import { expect, it } from 'vitest'
import { parseYamlDocuments } from '../../base/yaml.ts'
import { crds } from './crds.ts'

it('prints every definition as one YAML stream', () => {
  const kinds = parseYamlDocuments(crds(), 'crds').map(
    (document) => (document as { kind: string }).kind,
  )
  expect(kinds).toEqual(Array.from({ length: 10 }, () => 'CustomResourceDefinition'))
})
