import { describe, expect, it } from 'vitest'
import {
  atRest,
  completed,
  midway,
  oldCA,
  rotation,
  trust,
} from '../../views/rotate/sample.fixture.ts'
import { plainStyle } from '../style.ts'
import type { Ending } from './ending.ts'
import { tellEnding } from './ending.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { Journal } from '../../views/rotate/journal.ts'
import { textOutput } from './output.ts'
import { progressOf } from '../../views/rotate/progress.ts'

function told(
  ending: Ending,
  facts: RotationFacts = midway,
  { isWatched = true, endsByItself = true, journal = new Journal() } = {},
): string {
  let out = ''
  journal.see(facts)
  const output = textOutput((text) => void (out += text), plainStyle, undefined)
  tellEnding(ending, progressOf(facts, journal), { isWatched, endsByItself }, output)
  return out
}

describe('following a rotation ends', () => {
  it('with how to see it again, when somebody has seen enough', () => {
    expect(told({ is: 'stopped' })).toBe(
      'It goes on by itself. How it is: machinist rotate kubelet-client --status --watch\n',
    )
  })

  it('with who holds it up, when it takes too long', () => {
    expect(() => told({ is: 'late', afterMs: 1_800_000 })).toThrow(
      'kubelet-client is still Preparing after 30 min, held up by worker-3 (NotReady since 14:01), worker-10 (it is yet to be written). It goes on by itself: machinist rotate kubelet-client --status --watch',
    )
    const journal = new Journal({ at: 0, instead: oldCA.fingerprint })
    const facts = { ...midway, rotation: rotation(atRest) }
    expect(() => told({ is: 'late', afterMs: 5000 }, facts, { journal })).toThrow(
      'kubelet-client has not begun after 5 s. It goes on',
    )
  })

  it('without anything that moves the cursor, whatever nodes say', () => {
    const nodeTrusts = [trust('worker-1', [], { state: 'Failed', message: 'a\u001b[2Jb' })]
    expect(() => told({ is: 'late', afterMs: 1000 }, { ...midway, nodeTrusts })).toThrow(
      'worker-1 (a\\u001b[2Jb)',
    )
  })

  it('with what became of the signer, when nobody reacts', () => {
    expect(() => told({ is: 'unanswered', why: 'no signer seems to run: nobody holds x' })).toThrow(
      'no signer seems to run: nobody holds x. What was asked for stays, and is done as soon as one does.',
    )
  })

  it('with a summary, when it is completed', () => {
    expect(told({ is: 'over' }, { ...midway, rotation: rotation(completed) })).toMatch(
      /^✓ kubelet-client is completed\n/,
    )
  })

  it('with how to follow it, when that is all that was wanted', () => {
    const out = told({ is: 'over' }, midway, { isWatched: false })
    expect(out).toContain(
      'kubelet-client is Preparing, CA kube-apiserver-to-kubelet-signer@1794837720',
    )
    expect(out).toMatch(
      /\nThe CA is \S+@1794837720 now. Follow it: machinist rotate kubelet-client --status --watch\n$/,
    )
  })

  it('at once, where nobody would live to see its end', () => {
    expect(told({ is: 'over' }, midway, { endsByItself: false })).toMatch(
      /now. Time alone decides how it goes on: see machinist certs\n$/,
    )
  })
})
