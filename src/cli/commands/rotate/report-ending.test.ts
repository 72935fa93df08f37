import { describe, expect, it } from 'vitest'
import {
  atRest,
  completed,
  midway,
  oldCA,
  rotation,
  trust,
} from '../../../views/rotate/sample.fixture.ts'
import { plainStyle } from '../../text/style.ts'
import type { ObserveEnding } from '../../../views/rotate/ending.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import { RotationJournal } from '../../../views/rotate/journal.ts'
import { progressOf } from '../../../views/rotate/progress.ts'
import { reportEnding } from './report-ending.ts'
import { textOutput } from './output.ts'

function report(
  ending: ObserveEnding,
  facts: RotationFacts = midway,
  { isWatched = true, endsByItself = true, journal = new RotationJournal() } = {},
): string {
  let out = ''
  journal.record(facts)
  const output = textOutput((text) => void (out += text), plainStyle, undefined)
  reportEnding(ending, progressOf(facts, journal), { isWatched, endsByItself }, output)
  return out
}

describe('the end of an observation', () => {
  it('prints the command to watch it again when the user stops it', () => {
    expect(report({ type: 'stopped' })).toBe(
      'The rotation continues. To watch it: machinist rotate kubelet-client --status --watch\n',
    )
  })

  it('names the nodes that delay it after a timeout', () => {
    expect(() => report({ type: 'timeout', afterMs: 1_800_000 })).toThrow(
      'kubelet-client is still Preparing after 30 min, delayed by worker-3 (NotReady since 14:01), worker-10 (it is yet to be written). The rotation continues: machinist rotate kubelet-client --status --watch',
    )
    const journal = new RotationJournal({ at: 0, replaces: oldCA.fingerprint })
    const facts = { ...midway, rotation: rotation(atRest) }
    expect(() => report({ type: 'timeout', afterMs: 5000 }, facts, { journal })).toThrow(
      'kubelet-client has not started after 5 s. The rotation continues',
    )
  })

  it('escapes control characters in messages of nodes', () => {
    const nodeTrusts = [trust('worker-1', [], { state: 'Failed', message: 'a\u001b[2Jb' })]
    expect(() => report({ type: 'timeout', afterMs: 1000 }, { ...midway, nodeTrusts })).toThrow(
      'worker-1 (a\\u001b[2Jb)',
    )
  })

  it('reports the state of the signer when it does not react', () => {
    expect(() =>
      report({ type: 'noReaction', why: 'no signer seems to run: x has no holder' }),
    ).toThrow(
      'no signer seems to run: x has no holder. The request is stored, and the next signer that runs carries it out.',
    )
  })

  it('prints a summary of a completed rotation', () => {
    expect(report({ type: 'done' }, { ...midway, rotation: rotation(completed) })).toMatch(
      /^✓ kubelet-client is completed\n/,
    )
  })

  it('prints the command to watch it without --watch', () => {
    const out = report({ type: 'done' }, midway, { isWatched: false })
    expect(out).toContain(
      'kubelet-client is Preparing, CA kube-apiserver-to-kubelet-signer@1794837720',
    )
    expect(out).toMatch(
      /\nThe current CA is \S+@1794837720. To watch the rotation: machinist rotate kubelet-client --status --watch\n$/,
    )
  })

  it('refers to machinist certs if time alone decides', () => {
    expect(report({ type: 'done' }, midway, { endsByItself: false })).toMatch(
      /\. Time alone decides about the next steps: see machinist certs\n$/,
    )
  })
})
