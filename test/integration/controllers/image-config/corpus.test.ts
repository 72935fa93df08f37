import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settle, understand } from '../../../../src/controllers/image-config/settle.ts'
import type { Given } from '../../../../src/controllers/image-config/cluster-word.fixture.ts'
import { clusterWord } from '../../../../src/controllers/image-config/cluster-word.fixture.ts'

interface Case {
  readonly name: string
  readonly given: Given
  readonly files: Readonly<Record<string, string>>
}
interface Corpus {
  readonly base: { readonly registries: string; readonly policy: string }
  readonly same: readonly Case[]
  readonly mistakes: readonly (Case & { readonly error: string })[]
  readonly better: readonly (Case & {
    readonly original: Partial<Case>
    readonly because: string
  })[]
}
const path = join(import.meta.dirname, 'corpus/cases.json')
const { base, same, mistakes, better } = JSON.parse(readFileSync(path, 'utf8')) as Corpus

const understood = (given: Given): ReturnType<typeof understand> => understand(clusterWord(given))
const filesOf = (given: Given): Record<string, string> =>
  Object.fromEntries(
    settle(understood(given), base, new Map()).files.map((file) => [file.path, file.text]),
  )

describe('the files for nodes are those of the original, byte for byte', () => {
  it.each(same.map((one) => [one.name, one] as const))('%s', (_, { given, files }) => {
    expect(filesOf(given)).toEqual(files)
    expect(understood(given).problems.filter(({ effect }) => effect !== 'told')).toEqual([])
  })
})

describe('what the original stops at is named', () => {
  it.each(mistakes.map((one) => [one.name, one] as const))('%s', (_, { given }) => {
    const { problems } = understood(given)
    expect(problems.some(({ effect }) => effect !== 'told')).toBe(true)
  })
})

describe('where the original stops, or gives nodes what harms them', () => {
  it.each(better.map((one) => [one.name, one] as const))('%s', (_, { given, files, original }) => {
    expect(filesOf(given)).toEqual(files)
    expect(files).not.toEqual(original.files)
  })
})
