import { describe, expect, it } from 'vitest'
import { completed, midway, now, rotation } from '../../../views/rotate/sample.fixture.ts'
import { plainStyle } from '../../text/style.ts'
import { RotationJournal } from '../../../views/rotate/journal.ts'
import { progressOf } from '../../../views/rotate/progress.ts'
import { jsonDocument, jsonLines, textOutput } from './output.ts'
import { planToRotate } from './plan.ts'

function printed(): { out: (text: string) => void; take: () => string } {
  let all = ''
  return {
    out: (text) => void (all += text),
    take: () => {
      const text = all
      all = ''
      return text
    },
  }
}

const journal = new RotationJournal()
journal.record(midway)
const progress = progressOf(midway, journal)
const over = { ...midway, now: now + 100_000, rotation: rotation(completed) }
journal.record(over)
const end = progressOf(over, journal)

describe('text output', () => {
  it('draws a picture over the previous one', () => {
    const { out, take } = printed()
    const output = textOutput(out, plainStyle, { columns: 0, rows: 0 })
    output.plan(planToRotate(midway), false)
    expect(take()).toMatch(/^Rotation of kubelet-client\n[^]*\n\n$/)
    output.progress(progress)
    const picture = take()
    expect(picture).toMatch(/^kubelet-client {2}3 min {2}CA \S+\n/)
    expect(picture).toContain('\u001b[K\n')
    expect(picture.endsWith('\u001b[J')).toBe(true)
    output.progress(progress)
    expect(take()).toBe('')
    output.progress({ ...progress, now: now + 1000 })
    expect(take()).toContain(`\u001b[${picture.split('\n').length - 1}F`)
    output.summary(end)
    expect(take()).toMatch(/^\n✓ kubelet-client is rotated in 4 min 40 s\n/)
    expect(output.ticks).toBe(true)
  })

  it('prints lines without a terminal', () => {
    const { out, take } = printed()
    const output = textOutput(out, plainStyle, undefined)
    output.progress(progress)
    expect(take().split('\n')).toHaveLength(6)
    output.progress(progress)
    expect(take()).toBe('')
    output.note('Done.')
    expect(take()).toBe('Done.\n')
    expect(output.ticks).toBe(false)
  })
})

describe('JSON output', () => {
  it('prints one line per change', () => {
    const { out, take } = printed()
    const output = jsonLines(out, () => now)
    output.plan(planToRotate(midway), true)
    expect(JSON.parse(take())).toMatchObject({
      type: 'plan',
      time: '2026-11-16T14:05:00Z',
      action: 'rotate',
      dryRun: true,
      nodes: 7,
    })
    output.progress(progress)
    expect(JSON.parse(take())).toEqual({
      type: 'progress',
      time: '2026-11-16T14:05:00Z',
      rotation: 'kubelet-client',
      phase: 'Preparing',
      began: '2026-11-16T14:02:00Z',
      goesBack: false,
      current: {
        name: 'kube-apiserver-to-kubelet-signer@1794837720',
        fingerprint: 'b'.repeat(64),
        notAfter: '2027-11-16T14:02:00Z',
      },
      retiring: [
        {
          name: 'kube-apiserver-to-kubelet-signer@1763301600',
          fingerprint: 'a'.repeat(64),
          notAfter: '2026-11-30T14:00:00Z',
        },
      ],
      nodes: {
        waitsUntilThey: 'trust the current CA',
        total: 7,
        done: 4,
        settling: 1,
        behind: 1,
        failed: 1,
        excused: 0,
        waitedFor: [
          { node: 'worker-3', pool: 'worker', standing: 'failed', why: 'NotReady since 14:01' },
          { node: 'worker-10', pool: 'worker', standing: 'behind', why: 'it is yet to be written' },
        ],
      },
      certificates: [{ object: 'openshift-kube-apiserver/kubelet-client', signedByCurrent: false }],
      filesWritten: 5,
      kubeletsRestarted: 0,
      waitsFor: '3 of 7 nodes do not trust the current CA yet',
    })
    // Elapsed time alone is not a change.
    output.progress({ ...progress, now: now + 1000 })
    output.note('Done.')
    output.end()
    expect(take()).toBe('')
    output.summary(end)
    expect(JSON.parse(take())).toMatchObject({
      type: 'summary',
      phase: 'Completed',
      seconds: 280,
      secondsPerPhase: { Preparing: 279 },
    })
  })

  it('prints one document without --watch', () => {
    const { out, take } = printed()
    const output = jsonDocument(out, () => now)
    output.plan(planToRotate(midway), false)
    output.progress(progress)
    expect(take()).toBe('')
    output.end()
    expect(JSON.parse(take())).toMatchObject({
      time: '2026-11-16T14:05:00Z',
      action: 'rotate',
      dryRun: false,
      plan: { rotation: 'kubelet-client' },
      progress: { phase: 'Preparing' },
    })
  })
})
