import { expect, it } from 'vitest'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import { run } from '../program.ts'

it('prints every definition as one YAML stream', async () => {
  let printed = ''
  await run(['crds'], {
    out: (text) => void (printed += text),
    error: () => {},
    read: () => Promise.reject(new Error('it reads nothing')),
    stopped: () => Promise.resolve(),
  })
  const kinds = parseYamlDocuments(printed, 'crds').map(
    (document) => (document as { kind: string }).kind,
  )
  expect(kinds).toEqual(Array.from({ length: 13 }, () => 'CustomResourceDefinition'))
})
