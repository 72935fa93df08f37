import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from '@machinist/ignition/arbitrary-config.fixture'
import { fullVersion, supportedVersions } from '@machinist/ignition/convert/versions'
import { findIgnition, validateAllWithIgnition } from '@machinist/testing/real-ignition'
import { answer } from '../../../src/server/answer/answer.ts'
import type { AnswerInputs } from '../../../src/server/answer/inputs.ts'
import { selectInputs } from '../../../src/server/answer/inputs.ts'
import { renderedConfig, serverState, token } from '../../../src/server/answer/state.fixture.ts'

const { program, reason } = await findIgnition()

describe.skipIf(program === undefined)(`what is served, by the real Ignition ${reason}`, () => {
  it('is valid in every version that it supports', async () => {
    const empty = supportedVersions.map((version) =>
      Buffer.from(JSON.stringify({ ignition: { version: fullVersion(version) } })),
    )
    const known = await validateAllWithIgnition(program!, empty)
    const versions = supportedVersions.filter((_, i) => known[i] === 'valid')
    expect(versions).toContain('3.3')
    const samples = fc.sample(fc.tuple(arbitraryConfig(), fc.constantFrom(...versions)), {
      numRuns: 300,
      seed: 1,
    })
    const bodies = samples.flatMap(([config, version]) => {
      const state = serverState(renderedConfig({ config }))
      const found = answer(selectInputs(state, 'worker', token) as AnswerInputs, version)
      return found.type === 'config' ? [Buffer.from(found.body)] : []
    })
    expect(bodies.length).toBeGreaterThan(50)
    const verdicts = await validateAllWithIgnition(program!, bodies)
    expect(verdicts.filter((verdict) => verdict === 'invalid')).toEqual([])
  })
})
