import { describe, expect, it } from 'vitest'
import { now, rotating } from './sample.fixture.ts'
import { checkProblem } from './check.ts'
import type { CertsFacts } from './facts.ts'
import { nodeView } from './node-page.ts'
import { sectionsOf } from './report.ts'
import { upcomingEvents } from './upcoming.ts'

const day = 86_400_000
const news = (facts: CertsFacts): string[] =>
  upcomingEvents(facts, sectionsOf(facts)).map(({ severity, text }) => `${severity}: ${text}`)
const later = (days: number): CertsFacts => ({ ...rotating, now: now + days * day })
const quiet: CertsFacts = { ...rotating, nodes: [], nodeTrusts: [] }

describe('sections', () => {
  it('are omitted without data', () => {
    expect(sectionsOf(rotating).map(({ name }) => name)).toEqual(['kubelet-client-ca'])
    const nothing = { now, secrets: [], bundles: [], pools: [], unread: [] }
    expect(sectionsOf(nothing)).toEqual([])
    expect(news(nothing)).toEqual([])
  })

  it('contain other certificates under their own name', () => {
    const secrets = [
      { object: 'a/aggregator-client-signer', type: 'signer' as const, issuer: 'a_agg@1' },
      {
        object: 'openshift-machine-config-operator/machine-config-server-tls',
        type: 'target' as const,
      },
    ]
    const named = sectionsOf({ now, secrets, bundles: [], pools: [], unread: [] })
    expect(
      named.map(({ name, signers, leafCertificates }) => [
        name,
        signers.length,
        leafCertificates.length,
      ]),
    ).toEqual([
      ['config-server-ca', 0, 1],
      ['other', 1, 0],
    ])
  })

  it('mark a leaf certificate whose signer is not trusted', () => {
    const [signer, leaf] = rotating.secrets
    const secrets = [signer!, { ...leaf!, issuer: 'ns_kube-apiserver-to-kubelet-signer@9' }]
    expect(sectionsOf({ ...rotating, secrets })[0]?.leafCertificates[0]?.note).toBe(
      'not trusted: its signer ns_kube-apiserver-to-kubelet-signer@9 is not in ControllerConfig',
    )
  })

  it('count nodes without a report, but no Windows nodes', () => {
    const windows = { metadata: { name: 'w', labels: { 'kubernetes.io/os': 'windows' } } }
    const fresh = {
      metadata: { name: 'fresh' },
      status: { conditions: [{ type: 'Ready', status: 'True' as const }] },
    }
    const facts = { ...rotating, nodes: [...rotating.nodes!, windows, fresh] }
    expect(sectionsOf(facts)[0]?.nodes).toEqual({
      total: 4,
      holding: 2,
      lagging: [
        {
          node: 'worker-3',
          state: 'Lagging',
          since: Date.parse('2026-11-16T14:02:00Z'),
          why: 'NotReady',
        },
        {
          node: 'fresh',
          state: 'Unknown',
          since: Date.parse('2026-11-16T14:02:00Z'),
          why: 'has not reported it',
        },
      ],
    })
  })

  it('use the state of nodes if the cluster publishes no digests', () => {
    const { controllerConfig: _, ...facts } = rotating
    expect(sectionsOf(facts)[0]?.nodes).toEqual({ total: 3, holding: 3, lagging: [] })
  })
})

describe('upcoming events', () => {
  it.each<[string, CertsFacts, string[]]>([
    [
      'on the day of a rotation',
      rotating,
      [
        'soon: rotation in progress: new kubelet-client-ca on 2 of 3 nodes',
        'soon: worker-3 lags since 14:02: NotReady (kubelet-client-ca)',
        'well: openshift-kube-apiserver/kubelet-client: refresh due in 12 d',
      ],
    ],
    [
      'of an overdue refresh',
      { ...quiet, now: now + 25 * day },
      [
        'urgent: openshift-kube-apiserver/kubelet-client expires in 2 d',
        'soon: openshift-kube-apiserver/kubelet-client: refresh overdue by 13 d',
      ],
    ],
    [
      'of a superseded signer that expires',
      { ...quiet, now: now + 60 * day, secrets: [] },
      [
        'well: kube-apiserver-to-kubelet-signer expires in 12 d; kubelet-client-ca contains its successor',
      ],
    ],
    [
      'of a current signer that expires',
      { ...quiet, now: now + 366 * day, secrets: [] },
      [
        'ended: openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1794837900 in kubelet-client-ca expired 1 d ago',
      ],
    ],
  ])('%s', (_, facts, expected) => {
    expect(news(facts)).toEqual(expected)
  })

  it('include bad inputs and paused pools that hold certificates', () => {
    const conditions = [
      {
        type: 'machinist.dev/InputDegraded.user-ca',
        status: 'True' as const,
        message: 'ConfigMap openshift-config/user-ca-bundle: line 3 is no certificate',
      },
    ]
    const held = {
      type: 'machinist.dev/CertificatesHeld',
      status: 'True' as const,
      reason: 'KubeletCAEndsSoon',
      message: 'critical: since …',
    }
    const facts: CertsFacts = {
      ...quiet,
      secrets: [],
      controllerConfig: { ...rotating.controllerConfig!, status: { conditions } },
      pools: [{ metadata: { name: 'worker' }, spec: {}, status: { conditions: [held] } }],
    }
    expect(news(facts)).toEqual([
      'urgent: input user-ca cannot be used: ConfigMap openshift-config/user-ca-bundle: line 3 is no certificate',
      'urgent: pool worker: critical: since …',
    ])
  })
})

describe('a check', () => {
  const check = (facts: CertsFacts, days = 14, node?: string): string | undefined =>
    checkProblem(sectionsOf(facts), facts.now, days, node)

  it('fails when a node lags, or this node', () => {
    expect(check(rotating)).toBe('worker-3 lags')
    expect(check(rotating, 14, 'worker-1')).toBeUndefined()
    expect(check(quiet)).toBeUndefined()
  })

  it('fails when a CA without a successor expires', () => {
    expect(check({ ...quiet, now: now + 20 * day })).toBe(
      'openshift-kube-apiserver/kubelet-client expires within 14 days',
    )
    expect(check({ ...quiet, now: now + 70 * day, secrets: [] })).toBeUndefined()
    expect(check(later(20), 3)).toBe('worker-3 lags')
  })
})

it('a node is found by its name', () => {
  const sections = sectionsOf(rotating)
  expect(nodeView(rotating, sections, 'worker-3')).toMatchObject({
    name: 'worker-3',
    isReady: false,
    lacks: [{ item: 'kubelet-client-ca', why: 'NotReady' }],
  })
  expect(nodeView(rotating, sections, 'nobody')).toBeUndefined()
})
