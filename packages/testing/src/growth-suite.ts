import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ParserCase } from './growth.ts'
import { growthOf, isLinear } from './growth.ts'

export interface GrowthSuite {
  /** The directory whose parsers are measured. */
  readonly src: string
  readonly cases: readonly ParserCase[]
  /** Functions that are named like parsers (`file.ts name`), and why they need no case of their own. */
  readonly exempt: Readonly<Record<string, string>>
}

const declaration = /^export (?:async )?function\*? ((?:parse|read|decode|split)[A-Z]\w*)/gm

/** Every parser of a directory reads every hostile shape in time proportional to the length of its input. */
export function growthSuite({ src, cases, exempt }: GrowthSuite): void {
  const found = globSync('**/*.ts', { cwd: src })
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .flatMap((path) =>
      [...readFileSync(join(src, path), 'utf8').matchAll(declaration)].map(
        ([, name]) => `${path} ${name}`,
      ),
    )
  const measured = new Set(cases.map(({ parser }) => parser.split(' ', 2).join(' ')))

  describe('the time that a parser takes is proportional to the length of its input', () => {
    it.each(cases)('$parser: $shape', async (parserCase) => {
      expect(await growthOf(parserCase)).toSatisfy(isLinear)
    })
  })

  it('every parser is measured, or exempt for a reason', () => {
    const missing = found.filter(
      (parser) => !measured.has(parser) && !Object.hasOwn(exempt, parser),
    )
    expect(missing.sort()).toEqual([])
  })

  it('no exemption is for a parser that is gone or measured', () => {
    const stale = Object.keys(exempt).filter(
      (parser) => !found.includes(parser) || measured.has(parser),
    )
    expect(stale).toEqual([])
  })
}
