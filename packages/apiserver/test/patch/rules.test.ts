import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtInShape } from '../../src/patch/shapes/built-in-shapes.ts'
import type { Rules } from './rules.ts'
import { rulesOfShape, servedBuiltIns } from './rules.ts'

const recorded = JSON.parse(
  readFileSync(new URL('recorded-rules.json', import.meta.url), 'utf8'),
) as Record<string, Rules>

describe('the table of built-in kinds matches the OpenAPI document of kube-apiserver', () => {
  it.for(servedBuiltIns)('%s', (name) => {
    const [group, kind] = name.split('/')
    expect(rulesOfShape(builtInShape(group!, kind!))).toEqual(recorded[name])
  })
})
