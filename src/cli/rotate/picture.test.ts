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
} from '../../views/rotate/sample.fixture.ts'
import { coloured, plainStyle } from '../style.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { Journal } from '../../views/rotate/journal.ts'
import { picture, summaryLines } from './picture.ts'
import { progressOf } from '../../views/rotate/progress.ts'

/** As somebody sees it who has looked at all of these, one after the other. */
function seen(all: readonly RotationFacts[], width: number, journal = new Journal()): string {
  for (const facts of all) journal.see(facts)
  const lines = picture(progressOf(all.at(-1)!, journal), { style: plainStyle, width })
  expect(lines.filter((line) => line.length > width)).toEqual([])
  return `\n${lines.join('\n')}\n`
}

const { events: _, ...quiet } = midway
/** Words, and what terminals do not only print. */
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
  it('with a node that is off', () => {
    expect(seen([midway], 100)).toBe(`
kubelet-client  3 min  CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ── ○ Prepared ── ○ Issuing ── ○ Completing ── ○ Completed
  2 min 59 s

4 of 7 nodes trust the new CA, 1 more in 40 s
  master  ●●●
  worker  ●◐✕○
  ● trusts it  ◐ settling  ○ not yet  ✕ in trouble
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  it is yet to be written
5 files written, 0 kubelets restarted

○ openshift-kube-apiserver/kubelet-client  not signed by the new CA yet

14:02:00  SignerUpdateRequired  missing notAfter
14:02:01  CABundleUpdateRequired  it lacks the current CA
`)
  })

  it('in its first seconds names only who is in trouble', () => {
    const early = { ...quiet, now: Date.parse('2026-11-16T14:02:15Z') }
    expect(seen([early], 80)).toContain(`
  ✕ worker-3  NotReady since 14:01
5 files written`)
  })

  it('whose events say most at their end', () => {
    const message =
      'Secret openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer was renewed: missing notAfter'
    const events = [{ ...midway.events![0]!, message }]
    expect(seen([{ ...midway, events }], 80)).toContain(
      '\n14:02:00  SignerUpdateRequired  Secret openshift-kube-ap…newed: missing notAfter\n',
    )
  })

  it('of 60 columns', () => {
    expect(seen([midway], 60)).toBe(`
kubelet-client  3 min
CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed
  2 min 59 s

4 of 7 nodes trust the new CA, 1 more in 40 s
  master  ●●●
  worker  ●◐✕○
  ● trusts it  ◐ settling  ○ not yet  ✕ in trouble
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  it is yet to be written
5 files written, 0 kubelets restarted

○ openshift-kube-apiserver/kubelet-client

14:02:00  SignerUpdateRequired  missing notAfter
14:02:01  CABundleUpdateRequired  it lacks the current CA
`)
  })

  it('of a phone', () => {
    expect(seen([quiet], 40)).toBe(`
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

  it('before the signer has reacted', () => {
    const journal = new Journal({ at: now - 3000, instead: oldCA.fingerprint })
    expect(seen([{ ...quiet, rotation: rotation(atRest) }], 80, journal)).toBe(`
kubelet-client  3 s

○ Preparing ── ○ Prepared ── ○ Issuing ── ○ Completing ── ○ Completed

waits for the signer (3 s)
`)
  })

  it('when certificates are signed, and the old CA stays for a while', () => {
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
    expect(seen(all, 80)).toBe(`
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

  it('when the old CA goes from the nodes', () => {
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
    expect(seen([facts], 80)).toContain(`
5 of 7 nodes trust the new CA alone
  master  ●●●
  worker  ●●✕○
  ● trusts it alone  ○ not yet  ✕ in trouble
  ✕ worker-3   NotReady since 14:01
  ○ worker-10  still holds the old CA
`)
  })

  it('that goes back', () => {
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
    expect(seen([facts], 80)).toBe(`
kubelet-client  30 s  back to kube-apiserver-to-kubelet-signer@1763301600

✓ Preparing ━━ ✓ Prepared ━━ ✓ Issuing ━━ ● Completing ── ○ Completed
                                            30 s

1 of 1 node trusts the previous CA
  worker  ●
0 files written, 0 kubelets restarted

✓ openshift-kube-apiserver/kubelet-client  signed by the previous CA
`)
  })

  it('that cannot go on', () => {
    const conditions = [
      {
        type: 'Degraded',
        status: 'True' as const,
        reason: 'BadBundle',
        message:
          'ConfigMap a/b, line 7: this is no certificate. Repair it, or delete it to have it made anew',
        lastTransitionTime: '2026-11-16T14:03:00Z',
      },
    ]
    const facts = {
      ...quiet,
      nodes: [node('worker-1')],
      rotation: rotation({ ...preparing, conditions }, { targets: [] }),
      unheardSince: now - 60_000,
    }
    expect(seen([facts], 60)).toBe(`
kubelet-client  3 min
CA kube-apiserver-to-kubelet-signer@1794837720

● Preparing ○ Prepared ○ Issuing ○ Completing ○ Completed
  2 min 59 s

! kubelet-client is Degraded since 14:03 (BadBundle):
  ConfigMap a/b, line 7: this is no certificate. Repair it,
  or delete it to have it made anew
! the API server has not answered since 14:04: this is how
  it was then

1 of 1 node trusts the new CA
  worker  ●
5 files written, 0 kubelets restarted
`)
  })

  it('of many nodes, pool by pool', () => {
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
    expect(nodesIn(seen([facts], 100))).toBe(`
1,197 of 2,000 nodes trust the new CA, 300 more in 1 min 10 s
  master  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  3 of 3
  infra   ━━━━━━━━━━━━━━━━━╍╍╍╍╍────────  598 of 998  ◐ 150
  worker  ━━━━━━━━━━━━━━━━━╍╍╍╍╍────────  596 of 999  ◐ 150  ✕ 4
  ◐ settling  ✕ in trouble
  ✕ n-7     NotReady since 14:01
  ✕ n-507   NotReady since 14:01
  ✕ n-1007  NotReady since 14:01
  ✕ n-1507  NotReady since 14:01
  ○ n-1500  has told nothing yet: does the daemon run there?
    and 498 more`)
    expect(nodesIn(seen([facts], 60))).toContain(`
  infra   ━━━━━━━━━╍╍╍────  598 of 998  ◐ 150
`)
  })

  it('of who may not see nodes, with the word of the signer', () => {
    const { nodes: __, nodeTrusts: ___, ...blind } = quiet
    const laggards = [{ name: 'worker-3', since: '2026-11-16T14:02:00Z', why: 'NotReady' }]
    const nodes = { total: 7, trusting: 5, excused: 1, holdingOld: 7, laggards }
    expect(seen([{ ...blind, rotation: rotation({ ...preparing, nodes }) }], 80)).toContain(`
5 of 7 nodes trust the new CA
  ○ worker-3  NotReady
0 files written`)
  })

  it('with many certificates and many nodes to a line', () => {
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
    const text = seen([facts], 60)
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

  it('in colours looks the same without them', () => {
    const journal = new Journal()
    journal.see(midway)
    const progress = progressOf(midway, journal)
    const painted = picture(progress, { style: coloured, width: 60 })
    expect(painted[3]).toContain('\u001b[36m● Preparing\u001b[39m')
    expect(painted.join('\n').replaceAll(colour, '')).toBe(
      picture(progress, { style: plainStyle, width: 60 }).join('\n'),
    )
  })

  it('whatever nodes say, no line is too long and nothing moves the cursor', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 30, max: 160 }), (why, width) => {
        const text = seen(
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
  const end = (all: readonly RotationFacts[], width: number, journal: Journal): string => {
    for (const facts of all) journal.see(facts)
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

  it('is a summary', () => {
    const journal = new Journal({ at: now - 181_000, instead: oldCA.fingerprint })
    expect(end([before, quiet, { ...quiet, rotation: rotation(completing) }, over], 80, journal))
      .toBe(`
✓ kubelet-client is rotated in 4 min 41 s
  Preparing 2 min 29 s, Completing 2 min 10 s
  7 nodes, 12 files written, 7 kubelets restarted
  CA kube-apiserver-to-kubelet-signer@1794837720, until 2027-11-16
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
`)
  })

  it('is a shorter one for who has seen nothing of it', () => {
    expect(end([over], 60, new Journal())).toBe(`
✓ kubelet-client is completed
  7 nodes, 0 files written, no kubelet restarted
  CA kube-apiserver-to-kubelet-signer@1794837720, until
  2027-11-16
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
`)
  })

  it('is that of going back', () => {
    const journal = new Journal({ at: now, instead: newCA.fingerprint, isBack: true })
    expect(
      end([{ ...over, rotation: rotation({ ...completed, current: oldCA }) }], 80, journal),
    ).toContain('✓ kubelet-client is back at its previous CA in 1 min 40 s\n')
  })
})
