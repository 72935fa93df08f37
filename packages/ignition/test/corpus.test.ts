import { describe, expect, it } from 'vitest'
import { validateAllWithIgnition, findIgnition } from '@machinist/testing/real-ignition'
import { parseAnyVersion } from '../src/convert/parse-any.ts'
import { parseConfig } from '../src/parse/parse.ts'
import type { CorpusConfig, Verdict } from './corpus.ts'
import { readCorpus } from './corpus.ts'

const cases = readCorpus('cases.json')
const laterSpecs = readCorpus('later-specs.json')
const spec2 = readCorpus('spec2.json')

describe('the corpus', () => {
  it('has valid and invalid configs, without duplicates', () => {
    expect(cases.filter(({ verdict }) => verdict === 'valid').length).toBeGreaterThan(250)
    expect(cases.filter(({ verdict }) => verdict === 'invalid').length).toBeGreaterThan(250)
    const names = [...cases, ...laterSpecs, ...spec2].map(({ name }) => name)
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([])
  })

  it('explains each intended difference from Ignition', () => {
    const meant = cases.filter(({ verdict, ours }) => verdict !== ours).map(({ name }) => name)
    expect(meant).toEqual(['versions: version 3.4.0-experimental'])
  })
})

describe('the validator', () => {
  it('agrees with Ignition 2.14 on all configs of spec 3.0 to 3.3', () => {
    expect(wrong(cases, ourVerdict)).toEqual([])
  })

  it('agrees with Ignition 2.26 on configs of spec 3.4 and 3.5', () => {
    expect(wrong(laterSpecs, ourVerdict)).toEqual([])
  })

  it('agrees on spec 2 with the last Ignition that supported it, if spec 3 can express the config', () => {
    const verdict = (bytes: Uint8Array): Verdict => verdictOf(parseAnyVersion(bytes).report.fatal)
    expect(wrong(spec2, verdict)).toEqual([])
  })
})

const ignition = await findIgnition()

describe.skipIf(!ignition.program)(`the real ignition-validate ${ignition.reason}`, () => {
  it('returns the recorded results', { timeout: 300_000 }, async () => {
    const configs = cases.map(({ bytes }) => bytes)
    const answers = await validateAllWithIgnition(ignition.program!, configs)
    const said = cases.map(({ name }, index) => `${name}: ${answers[index]}`)
    expect(said).toEqual(cases.map(({ name, verdict }) => `${name}: ${verdict}`))
  })
})

function ourVerdict(bytes: Uint8Array): Verdict {
  return verdictOf(parseConfig(bytes).report.fatal)
}

const verdictOf = (fatal: boolean): Verdict => (fatal ? 'invalid' : 'valid')

function wrong(
  configs: readonly CorpusConfig[],
  verdict: (bytes: Uint8Array) => Verdict,
): string[] {
  return configs.filter(({ bytes, ours }) => verdict(bytes) !== ours).map(({ name }) => name)
}
