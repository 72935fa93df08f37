import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TrustRotation } from '../../../src/api/kinds/trust-rotation.ts'
import { configMaps, secrets } from '../../../src/api/names.ts'
import { compileSchema } from '@machinist/apiserver/schema/compiled-schema'
import { isObject } from '@machinist/core/json'
import { parseYamlDocuments } from '@machinist/core/yaml'
import { crdSchemas } from '../schemas/crd-schemas.ts'

const root = join(import.meta.dirname, '../../..')

function documentsOf(file: string): Record<string, unknown>[] {
  return parseYamlDocuments(readFileSync(join(root, file), 'utf8'), file).filter(isObject)
}

describe('what is to be tried out', () => {
  const schemas = new Map([...crdSchemas()].map(([kind, schema]) => [kind, compileSchema(schema)]))
  const ours = globSync('examples/*.yaml', { cwd: root })
    .flatMap((file) => documentsOf(file).map((object) => ({ file, object })))
    .filter(({ object }) => schemas.has(String(object['kind'])))

  it('is of these kinds', () => {
    expect(new Set(ours.map(({ object }) => object['kind']))).toEqual(
      new Set([
        'ContainerRuntimeConfig',
        'Image',
        'ImageDigestMirrorSet',
        'KubeletConfig',
        'MachineConfig',
        'PinnedImageSet',
        'TrustRotation',
      ]),
    )
  })

  it.each(ours)(
    'is taken by the API: $object.kind $object.metadata.name in $file',
    ({ object }) => {
      const schema = schemas.get(String(object['kind']))!
      const { object: pruned, unknown } = schema.prune(object)
      expect(unknown).toEqual([])
      expect(schema.validate(schema.default(pruned), undefined)).toEqual([])
    },
  )
})

describe('the example of a rotation', () => {
  const [kubelet, server] = documentsOf('examples/trust-rotation.yaml') as unknown as [
    TrustRotation,
    TrustRotation,
  ]

  it('is about the objects that the operator and OpenShift know', () => {
    const place = ({ namespace, name }: { namespace: string; name: string }): object => ({
      namespace,
      name,
    })
    expect(place(kubelet.spec.signer)).toEqual(secrets.kubeletSigner)
    expect(place(kubelet.spec.bundle)).toEqual(place(configMaps.kubeletSignerBundle))
    expect(kubelet.spec.publishedIn?.map(place)).toEqual([place(configMaps.kubeletClientCA)])
    expect(kubelet.spec.targets?.map(place)).toEqual([secrets.kubeletClient])
    expect(server.spec.publishedIn?.map(place)).toEqual([place(configMaps.apiServerCA)])
  })

  it('waits for what nodes tell about the same thing', () => {
    expect(kubelet.spec.trustedBy).toBe('kubelet-client-ca')
    expect(server.spec.trustedBy).toBe('api-server-ca')
  })
})
