import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '@machinist/apiserver/schema/compiled-schema'
import { isObject } from '@machinist/core/encoding/json'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { TrustRotation } from '../../../src/api/kinds/trust-rotation.ts'
import { configMaps, secrets } from '../../../src/api/names.ts'
import { crdSchemas } from '../schemas/crd-schemas.ts'

const root = join(import.meta.dirname, '../../..')

function documentsOf(file: string): Record<string, unknown>[] {
  return parseYamlDocuments(readFileSync(join(root, file), 'utf8'), file).filter(isObject)
}

describe('the objects in examples/', () => {
  const schemas = new Map([...crdSchemas()].map(([kind, schema]) => [kind, compileSchema(schema)]))
  const objects = globSync('examples/*.yaml', { cwd: root })
    .flatMap((file) => documentsOf(file).map((object) => ({ file, object })))
    .filter(({ object }) => schemas.has(String(object['kind'])))

  it('have these kinds', () => {
    expect(new Set(objects.map(({ object }) => object['kind']))).toEqual(
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

  it.each(objects)(
    'are accepted by the API: $object.kind $object.metadata.name in $file',
    ({ object }) => {
      const schema = schemas.get(String(object['kind']))!
      const { object: pruned, unknown } = schema.prune(object)
      expect(unknown).toEqual([])
      expect(schema.validate(schema.default(pruned), undefined)).toEqual([])
    },
  )
})

describe('the example of a TrustRotation', () => {
  const [kubelet, server] = documentsOf('examples/trust-rotation.yaml') as unknown as [
    TrustRotation,
    TrustRotation,
  ]

  it('names the objects that the operator and OpenShift use', () => {
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

  it('waits for the matching item of NodeTrust', () => {
    expect(kubelet.spec.trustedBy).toBe('kubelet-client-ca')
    expect(server.spec.trustedBy).toBe('api-server-ca')
  })
})
