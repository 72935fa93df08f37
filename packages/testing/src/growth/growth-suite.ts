import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ParserCase } from './growth.ts'
import { measureGrowth, isLinear } from './growth.ts'

export interface GrowthSuite {
  /** The directory whose parsers are measured. */
  readonly src: string
  readonly cases: readonly ParserCase[]
  /** Functions with the name of a parser (`file.ts name`), and the reason why they need no case. */
  readonly exempt: Readonly<Record<string, string>>
}

const declaration = /^export (?:async )?function\*? ((?:parse|read|decode|split)[A-Z]\w*)/gm

/** Checks that every parser of a directory reads hostile input in linear time. */
export function growthSuite({ src, cases, exempt }: GrowthSuite): void {
  const found = globSync('**/*.ts', { cwd: src })
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .flatMap((path) =>
      [...readFileSync(join(src, path), 'utf8').matchAll(declaration)].map(
        ([, name]) => `${path} ${name}`,
      ),
    )
  const measured = new Set(cases.map(({ parser }) => parser.split(' ', 2).join(' ')))

  describe('parsers take time proportional to the length of the input', () => {
    it.each(cases)('$parser: $shape', async (parserCase) => {
      expect(await measureGrowth(parserCase)).toSatisfy(isLinear)
    })
  })

  it('every parser is measured or exempt with a reason', () => {
    const missing = found.filter(
      (parser) => !measured.has(parser) && !Object.hasOwn(exempt, parser),
    )
    expect(missing.sort()).toEqual([])
  })

  it('no exemption names a parser that does not exist or is measured', () => {
    const stale = Object.keys(exempt).filter(
      (parser) => !found.includes(parser) || measured.has(parser),
    )
    expect(stale).toEqual([])
  })
}
