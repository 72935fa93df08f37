import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  makeNodeFiles,
  readImageSettings,
} from '../../../../src/controllers/image-config/node-files.ts'
import type { GivenImages } from '../../../../src/controllers/image-config/image-objects.fixture.ts'
import { imageObjects } from '../../../../src/controllers/image-config/image-objects.fixture.ts'

interface Case {
  readonly name: string
  readonly given: GivenImages
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

const settingsOf = (given: GivenImages): ReturnType<typeof readImageSettings> =>
  readImageSettings(imageObjects(given))
const filesOf = (given: GivenImages): Record<string, string> =>
  Object.fromEntries(
    makeNodeFiles(settingsOf(given), base, new Map()).files.map((file) => [file.path, file.text]),
  )

describe('the files of nodes equal those of MCO byte for byte', () => {
  it.each(same.map((one) => [one.name, one] as const))('%s', (_, { given, files }) => {
    expect(filesOf(given)).toEqual(files)
    expect(settingsOf(given).problems.filter(({ effect }) => effect !== 'reported')).toEqual([])
  })
})

describe('settings that MCO rejects are reported', () => {
  it.each(mistakes.map((one) => [one.name, one] as const))('%s', (_, { given }) => {
    const { problems } = settingsOf(given)
    expect(problems.some(({ effect }) => effect !== 'reported')).toBe(true)
  })
})

describe('settings that MCO rejects, or turns into files that harm nodes', () => {
  it.each(better.map((one) => [one.name, one] as const))('%s', (_, { given, files, original }) => {
    expect(filesOf(given)).toEqual(files)
    expect(files).not.toEqual(original.files)
  })
})
