import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  atRest,
  completed,
  completing,
  midway,
  newCA,
  node,
  now,
  oldCA,
  pool,
  preparing,
  rotation,
  trust,
} from '../../../views/rotate/sample.fixture.ts'
import { colorStyle, plainStyle } from '../../text/style.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import { RotationJournal } from '../../../views/rotate/journal.ts'
import { progressOf } from '../../../views/rotate/progress.ts'
import { progressPicture, summaryLines } from './picture.ts'

/** The picture after these facts, one after the other. */
function drawAfter(
  all: readonly RotationFacts[],
  width: number,
  journal = new RotationJournal(),
): string {
  for (const facts of all) journal.record(facts)
  const lines = progressPicture(progressOf(all.at(-1)!, journal), { style: plainStyle, width })
  expect(lines.filter((line) => line.length > width)).toEqual([])
  return `\n${lines.join('\n')}\n`
}

const { events: _, ...quiet } = midway
/** Words and control characters. */
const nasty = fc.string({
  maxLength: 300,
  unit: fc.constantFrom(
    'a',
    'b',
    ' ',
    '.',
    '\t',
    '\n',
    '\r',
    '\u001b',
    '\u009b',
    '\u202e',
    '\u2028',
    'é',
  ),
})
const colour = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g')

describe('a rotation on a terminal', () => {
  it('shows a node that is down', () => {
    expect(drawAfter([midway], 100)).toBe(`
kubelet-client  3 min  CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ── ○ Prepared ── ○ Issuing ── ○ Completing ── ○ Completed
  2 min 59 s

4 of 7 nodes trust the new CA, 1 more in 40 s
  master  ●●●
  worker  ●◐✕○
  ● trusts it  ◐ settling  ○ not yet  ✕ failed
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  it is yet to be written
5 files written, 0 kubelets restarted

○ openshift-kube-apiserver/kubelet-client  not signed by the new CA yet

14:02:00  SignerUpdateRequired  missing notAfter
14:02:01  CABundleUpdateRequired  it lacks the current CA
`)
  })

  it('names only failed nodes in its first seconds', () => {
    const early = { ...quiet, now: Date.parse('2026-11-16T14:02:15Z') }
    expect(drawAfter([early], 80)).toContain(`
  ✕ worker-3  NotReady since 14:01
5 files written`)
  })

  it('drops the middle of long events', () => {
    const message =
      'Secret openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer was renewed: missing notAfter'
    const events = [{ ...midway.events![0]!, message }]
    expect(drawAfter([{ ...midway, events }], 80)).toContain(
      '\n14:02:00  SignerUpdateRequired  Secret openshift-kube-ap…newed: missing notAfter\n',
    )
  })

  it('fits 60 columns', () => {
    expect(drawAfter([midway], 60)).toBe(`
kubelet-client  3 min
CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed
  2 min 59 s

4 of 7 nodes trust the new CA, 1 more in 40 s
  master  ●●●
  worker  ●◐✕○
  ● trusts it  ◐ settling  ○ not yet  ✕ failed
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  it is yet to be written
5 files written, 0 kubelets restarted

○ openshift-kube-apiserver/kubelet-client

14:02:00  SignerUpdateRequired  missing notAfter
14:02:01  CABundleUpdateRequired  it lacks the current CA
`)
  })

  it('fits a phone', () => {
    expect(drawAfter([quiet], 40)).toBe(`
kubelet-client  3 min
CA kube-apiserver-to-kubelet-signer@179…

● Preparing  2 min 59 s
○ Prepared
○ Issuing
○ Completing
○ Completed

4 of 7 nodes trust the new CA, 1 more i…
  master  ●●●
  worker  ●◐✕○
  ● trusts it  ◐ settling  ○ not yet  ✕…
  ✕ worker-3
    NotReady since 14:01
  ○ worker-10
    it is yet to be written
5 files written, 0 kubelets restarted

○ openshift-kube-apiserver/kubelet-clie…
`)
  })

  it('waits for the reaction of the signer', () => {
    const journal = new RotationJournal({ at: now - 3000, replaces: oldCA.fingerprint })
    expect(drawAfter([{ ...quiet, rotation: rotation(atRest) }], 80, journal)).toBe(`
kubelet-client  3 s

○ Preparing ── ○ Prepared ── ○ Issuing ── ○ Completing ── ○ Completed

waiting for the signer (3 s)
`)
  })

  it('shows signed certificates while the old CA settles', () => {
    const conditions = [
      {
        type: 'Progressing',
        status: 'True' as const,
        reason: 'Settling',
        message: 'the former CA stays: certificates in use may be older until 2026-11-16T14:06:31Z',
      },
    ]
    const all = [
      quiet,
      {
        ...quiet,
        rotation: rotation({ ...preparing, phase: 'Prepared', phaseSince: '2026-11-16T14:04:29Z' }),
      },
      { ...quiet, nodes: [node('worker-1')], rotation: rotation({ ...completing, conditions }) },
    ]
    expect(drawAfter(all, 80)).toBe(`
kubelet-client  3 min  CA kube-apiserver-to-kubelet-signer@1794837720

✓ Preparing ━━ ✓ Prepared ━━ ✓ Issuing ━━ ● Completing ── ○ Completed
  2 min 28 s     1 s                        30 s

the former CA stays: certificates in use may be older until 2026-11-16T14:06:31Z

1 of 1 node trusts the new CA
  worker  ●
5 files written, 0 kubelets restarted

✓ openshift-kube-apiserver/kubelet-client  signed by the new CA
`)
  })

  it('shows the removal of the old CA from nodes', () => {
    const facts = {
      ...quiet,
      rotation: rotation({
        ...completing,
        retiring: [],
        desiredAuthorities: [newCA.fingerprint],
      }),
      nodeTrusts: [
        ...midway.nodeTrusts!.slice(0, 5).map(({ metadata }) => trust(metadata.name, [newCA])),
        trust('worker-3', [newCA, oldCA]),
        trust('worker-10', [newCA, oldCA]),
      ],
    }
    expect(drawAfter([facts], 80)).toContain(`
5 of 7 nodes trust only the new CA
  master  ●●●
  worker  ●●✕○
  ● trusts only it  ○ not yet  ✕ failed
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  still trusts the old CA
`)
  })

  it('shows a rollback', () => {
    const facts = {
      ...quiet,
      nodes: [node('worker-1')],
      rotation: rotation({
        ...completing,
        current: oldCA,
        retiring: [newCA],
        targets: [
          {
            namespace: 'openshift-kube-apiserver',
            name: 'kubelet-client',
            signedBy: oldCA.fingerprint,
          },
        ],
      }),
    }
    expect(drawAfter([facts], 80)).toBe(`
kubelet-client  30 s  back to kube-apiserver-to-kubelet-signer@1763301600

✓ Preparing ━━ ✓ Prepared ━━ ✓ Issuing ━━ ● Completing ── ○ Completed
                                            30 s

1 of 1 node trusts the previous CA
  worker  ●
0 files written, 0 kubelets restarted

✓ openshift-kube-apiserver/kubelet-client  signed by the previous CA
`)
  })

  it('shows a Degraded rotation', () => {
    const conditions = [
      {
        type: 'Degraded',
        status: 'True' as const,
        reason: 'BadBundle',
        message:
          'ConfigMap a/b, line 7: this is not a certificate. Repair it, or delete it to have it recreated',
        lastTransitionTime: '2026-11-16T14:03:00Z',
      },
    ]
    const facts = {
      ...quiet,
      nodes: [node('worker-1')],
      rotation: rotation({ ...preparing, conditions }, { targets: [] }),
      disconnectedSince: now - 60_000,
    }
    expect(drawAfter([facts], 60)).toBe(`
kubelet-client  3 min
CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed
  2 min 59 s

! kubelet-client is Degraded since 14:03 (BadBundle):
  ConfigMap a/b, line 7: this is not a certificate. Repair
  it, or delete it to have it recreated
! the API server has not answered since 14:04: this is the
  last known state

1 of 1 node trusts the new CA
  worker  ●
5 files written, 0 kubelets restarted
`)
  })

  it('shows a bar per pool for many nodes', () => {
    const isOff = (i: number): boolean => i % 500 === 7
    const pools = ['infra', 'master', 'worker']
    const poolFor = (i: number): string => (i < 3 ? 'master' : i % 2 === 0 ? 'infra' : 'worker')
    const facts = {
      ...quiet,
      pools: pools.map((name) => pool(name)),
      nodes: Array.from({ length: 2000 }, (_each, i) => node(`n-${i}`, poolFor(i), !isOff(i))),
      nodeTrusts: Array.from({ length: 1500 }, (_each, i) =>
        trust(`n-${i}`, isOff(i) ? [oldCA] : [oldCA, newCA], {
          writtenAt: i < 1200 ? '2026-11-16T14:02:10Z' : '2026-11-16T14:04:10Z',
        }),
      ),
    }
    const nodesIn = (text: string): string =>
      text.slice(text.indexOf('\n1,197'), text.indexOf('\n1,500'))
    expect(nodesIn(drawAfter([facts], 100))).toBe(`
1,197 of 2,000 nodes trust the new CA, 300 more in 1 min 10 s
  master  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  3 of 3
  infra   ━━━━━━━━━━━━━━━━━╍╍╍╍╍────────  598 of 998  ◐ 150
  worker  ━━━━━━━━━━━━━━━━━╍╍╍╍╍────────  596 of 999  ◐ 150  ✕ 4
  ◐ settling  ✕ failed
  ✕ n-7     NotReady since 14:01
  ✕ n-507   NotReady since 14:01
  ✕ n-1007  NotReady since 14:01
  ✕ n-1507  NotReady since 14:01
  ○ n-1500  has not reported yet: check that the daemon runs there
    and 498 more`)
    expect(nodesIn(drawAfter([facts], 60))).toContain(`
  infra   ━━━━━━━━━╍╍╍────  598 of 998  ◐ 150
`)
  })

  it('shows the counts of the signer without permission to read nodes', () => {
    const { nodes: __, nodeTrusts: ___, ...blind } = quiet
    const laggards = [{ name: 'worker-3', since: '2026-11-16T14:02:00Z', why: 'NotReady' }]
    const nodes = { total: 7, trusting: 5, excused: 1, holdingOld: 7, laggards }
    expect(drawAfter([{ ...blind, rotation: rotation({ ...preparing, nodes }) }], 80)).toContain(`
5 of 7 nodes trust the new CA
  ○ worker-3  NotReady
0 files written`)
  })

  it('limits certificates and wraps nodes', () => {
    const target = (i: number) => ({
      namespace: 'a',
      name: `c${i}`,
      usage: 'client' as const,
      commonName: 'x',
    })
    const facts = {
      ...quiet,
      nodes: Array.from({ length: 120 }, (_each, i) => node(`n${i}`)),
      nodeTrusts: [],
      rotation: rotation(preparing, { targets: [1, 2, 3, 4, 5, 6].map(target) }),
    }
    const text = drawAfter([facts], 60)
    expect(text).toContain(
      `\n  worker  ${'○'.repeat(50)}\n          ${'○'.repeat(50)}\n          ${'○'.repeat(20)}\n`,
    )
    expect(text).toContain(
      '○ a/c4\n  and 2 more; 0 of 6 are signed by the new CA\n'.replace(
        'a/c4',
        'a/c4  not signed by the new CA yet',
      ),
    )
  })

  it('has the same text with colors', () => {
    const journal = new RotationJournal()
    journal.record(midway)
    const progress = progressOf(midway, journal)
    const painted = progressPicture(progress, { style: colorStyle, width: 60 })
    expect(painted[3]).toContain('\u001b[36m● Preparing\u001b[39m')
    expect(painted.join('\n').replaceAll(colour, '')).toBe(
      progressPicture(progress, { style: plainStyle, width: 60 }).join('\n'),
    )
  })

  it('never exceeds the width and escapes control characters', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 30, max: 160 }), (why, width) => {
        const text = drawAfter(
          [
            {
              ...midway,
              nodeTrusts: [trust('worker-1', [oldCA], { state: 'Failed', message: why })],
              events: [{ ...midway.events![0]!, message: why }],
            },
          ],
          width,
        )
        expect(text).not.toMatch(/[^\P{Cc}\n]/u)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the end of a rotation', () => {
  const end = (all: readonly RotationFacts[], width: number, journal: RotationJournal): string => {
    for (const facts of all) journal.record(facts)
    const lines = summaryLines(progressOf(all.at(-1)!, journal), { style: plainStyle, width })
    return `\n${lines.join('\n')}\n`
  }
  const before = {
    ...quiet,
    rotation: rotation(atRest),
    nodeTrusts: midway.nodeTrusts!.map(({ metadata }) => trust(metadata.name, [oldCA])),
  }
  const over = {
    ...quiet,
    now: now + 100_000,
    rotation: rotation(completed),
    nodeTrusts: midway.nodeTrusts!.map(({ metadata }) =>
      trust(metadata.name, [newCA], {
        writtenAt: '2026-11-16T14:06:35Z',
        loadedAt: '2026-11-16T14:06:36Z',
      }),
    ),
  }

  it('prints a summary', () => {
    const journal = new RotationJournal({ at: now - 181_000, replaces: oldCA.fingerprint })
    expect(end([before, quiet, { ...quiet, rotation: rotation(completing) }, over], 80, journal))
      .toBe(`
✓ kubelet-client is rotated in 4 min 41 s
  Preparing 2 min 29 s, Completing 2 min 10 s
  7 nodes, 12 files written, 7 kubelets restarted
  CA kube-apiserver-to-kubelet-signer@1794837720, until 2027-11-16
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
`)
  })

  it('prints a shorter summary if it was not observed', () => {
    expect(end([over], 60, new RotationJournal())).toBe(`
✓ kubelet-client is completed
  7 nodes, 0 files written, no kubelet restarted
  CA kube-apiserver-to-kubelet-signer@1794837720, until
  2027-11-16
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
`)
  })

  it('prints the summary of a rollback', () => {
    const journal = new RotationJournal({ at: now, replaces: newCA.fingerprint, isBack: true })
    expect(
      end([{ ...over, rotation: rotation({ ...completed, current: oldCA }) }], 80, journal),
    ).toContain('✓ kubelet-client is back to its previous CA in 1 min 40 s\n')
  })
})
