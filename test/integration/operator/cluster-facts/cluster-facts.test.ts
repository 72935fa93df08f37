import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { factKeys } from '../../../../src/operator/cluster-facts/settings.ts'
import { clusterShapes } from '../../../../src/operator/inputs/cluster-shapes.ts'
import { shapeProblem } from '../../../../src/operator/inputs/object-shape.ts'
import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { clusterFactsCases } from './cases.ts'

await onEmbeddedServer('cluster-facts controller:', clusterFactsCases)

describe('the example ConfigMap', () => {
  const path = join(import.meta.dirname, '../../../../examples/cluster.yaml')
  const example = parseYaml(readFileSync(path, 'utf8'), path) as ConfigMap

  it('has the right name, and only valid keys', () => {
    const { namespace, name } = example.metadata
    expect(`${namespace}/${name}`).toBe('openshift-machine-config-operator/machinist-cluster')
    const keys = Object.keys(example.data ?? {})
    expect(keys.filter((key) => !factKeys.has(key))).toEqual([])
    for (const [kind, shape] of Object.entries(clusterShapes)) {
      expect(shapeProblem(parseYaml(example.data![kind]!, kind), shape)).toBeUndefined()
    }
  })
})
