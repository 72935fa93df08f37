import { describe, expect, it } from 'vitest'
import {
  atRest,
  completing,
  event,
  midway,
  newCA,
  node,
  now,
  oldCA,
  preparing,
  rotation,
  trust,
} from './sample.fixture.ts'
import { progressChanges } from './changes.ts'
import type { RotationFacts } from './facts.ts'
import { RotationJournal } from './journal.ts'
import { progressOf } from './progress.ts'

/** The lines for each of these facts, one after the other. */
function changesOf(all: readonly RotationFacts[], journal = new RotationJournal()): string[][] {
  let before: ReturnType<typeof progressOf> | undefined
  return all.map((facts) => {
    journal.record(facts)
    const after = progressOf(facts, journal)
    const lines = progressChanges(before, after)
    before = after
    return lines
  })
}

const later = { ...midway, now: now + 20_000 }
const degraded = {
  type: 'Degraded',
  status: 'True' as const,
  reason: 'Refused',
  message: 'the API server\nrefused it',
}

describe('without a terminal', () => {
  it('prints the whole state at first', () => {
    expect(changesOf([midway])).toEqual([
      [
        '14:02:00 event SignerUpdateRequired: missing notAfter',
        '14:02:01 event CABundleUpdateRequired: it lacks the current CA',
        '14:05:00 kubelet-client is Preparing, CA kube-apiserver-to-kubelet-signer@1794837720',
        '14:05:00 worker-3 failed: NotReady since 14:01',
        '14:05:00 4 of 7 nodes trust the current CA',
      ],
    ])
  })

  it('prints only changes afterwards', () => {
    const nodeTrusts = [
      ...midway.nodeTrusts!.slice(0, 6),
      trust('worker-10', [oldCA, newCA], { writtenAt: '2026-11-16T14:05:10Z' }),
    ]
    const back = [...midway.nodes!.slice(0, 6), node('worker-3')]
    const news = event('TargetUpdateRequired', 'past its refresh', '2026-11-16T14:05:15Z')
    const all = [
      midway,
      { ...midway, now: now + 1000 },
      { ...later, nodeTrusts },
      { ...later, nodeTrusts, nodes: back, now: now + 60_000, events: [...midway.events!, news] },
    ]
    expect(changesOf(all).slice(1)).toEqual([
      [],
      ['14:05:20 worker-10 has it on disk and counts in 1 min 50 s'],
      [
        '14:05:15 event TargetUpdateRequired: past its refresh',
        '14:06:00 worker-2 trusts the current CA',
        '14:06:00 worker-3 is behind: does not have it yet',
        '14:06:00 5 of 7 nodes trust the current CA',
      ],
    ])
  })

  it('prints phases, reasons, certificates and failures', () => {
    const settling = {
      type: 'Progressing',
      status: 'True' as const,
      reason: 'Settling',
      message: 'the former CA stays',
    }
    const journal = new RotationJournal({ at: now - 180_000, replaces: oldCA.fingerprint })
    const { events: _, ...quiet } = { ...midway, nodes: [] }
    const all = [
      { ...quiet, rotation: rotation(atRest) },
      quiet,
      { ...quiet, rotation: rotation(completing) },
      { ...quiet, rotation: rotation({ ...completing, conditions: [settling] }) },
      { ...quiet, rotation: rotation({ ...completing, conditions: [settling, degraded] }) },
      { ...quiet, rotation: rotation({ ...completing, conditions: [settling] }) },
    ]
    expect(changesOf(all, journal)).toEqual([
      ['14:05:00 kubelet-client is waiting for the signer'],
      [
        '14:05:00 kubelet-client is Preparing, CA kube-apiserver-to-kubelet-signer@1794837720',
        '14:05:00 0 of 0 nodes trust the current CA',
      ],
      [
        '14:05:00 kubelet-client is Completing (Preparing took 2 min 29 s)',
        '14:05:00 openshift-kube-apiserver/kubelet-client is signed by the current CA',
      ],
      ['14:05:00 kubelet-client is Completing: the former CA stays'],
      ['14:05:00 kubelet-client is Degraded (Refused): the API server refused it'],
      ['14:05:00 kubelet-client is no longer Degraded'],
    ])
  })

  it('prints only counts and failed nodes for very many nodes', () => {
    const nodes = Array.from({ length: 2000 }, (_, i) => node(`n${i}`))
    const has = (i: number) => trust(`n${i}`, [newCA], { writtenAt: '2026-11-16T14:02:00Z' })
    const some = (count: number): RotationFacts => ({
      ...midway,
      events: [],
      nodes,
      nodeTrusts: Array.from({ length: count }, (_, i) => has(i)),
    })
    const broken = trust('n1999', [], { state: 'Failed', message: 'no space left' })
    const all = [some(0), some(1), some(99), some(120), some(150), some(199)]
    const last = { ...some(1999), nodeTrusts: [...some(1999).nodeTrusts!, broken] }
    expect(changesOf([...all, last, some(2000)]).slice(1)).toEqual([
      [],
      [],
      ['14:05:00 120 of 2,000 nodes trust the current CA'],
      [],
      [],
      [
        '14:05:00 n1999 failed: no space left',
        '14:05:00 1,999 of 2,000 nodes trust the current CA',
      ],
      ['14:05:00 2,000 of 2,000 nodes trust the current CA'],
    ])
  })

  it('limits the number of failed nodes', () => {
    const nodes = Array.from({ length: 30 }, (_, i) => node(`n${i}`, 'worker', false))
    const [lines] = changesOf([{ ...midway, events: [], nodes, nodeTrusts: [] }])
    expect(lines).toHaveLength(23)
    expect(lines!.slice(-3)).toEqual([
      '14:05:00 n19 failed: NotReady since 14:01',
      '14:05:00 and 10 more nodes',
      '14:05:00 0 of 30 nodes trust the current CA',
    ])
  })

  it('prints excluded and restarting nodes', () => {
    const override = { authority: newCA.fingerprint, nodes: ['worker-3'] }
    const restarting = trust('worker-10', [newCA], {
      name: 'api-server-ca',
      state: 'Lagging',
      message: 'it waits for its turn',
    })
    const server = { trustedBy: 'api-server-ca' as const }
    const all = [
      { ...midway, rotation: rotation(preparing, server) },
      {
        ...midway,
        rotation: rotation(preparing, { ...server, override }),
        nodeTrusts: [restarting],
      },
    ]
    expect(changesOf(all)[1]).toEqual([
      '14:05:00 worker-3 is excluded',
      '14:05:00 worker-10 has it on disk: it waits for its turn',
    ])
  })
})
