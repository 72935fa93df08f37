import { describe, expect, it } from 'vitest'
import { now, rotating, rotation } from '../../../views/certs/sample.fixture.ts'
import { colorStyle, plainStyle } from '../../text/style.ts'
import { sectionsOf } from '../../../views/certs/report.ts'
import type { CertsPage } from '../../../views/certs/tree.ts'
import { clusterPage } from '../../../views/certs/tree.ts'
import { upcomingEvents } from '../../../views/certs/upcoming.ts'
import { drawPage, plainPage } from './draw.ts'

const sections = sectionsOf(rotating)
const page = clusterPage(rotating, sections, upcomingEvents(rotating, sections))

describe('a cluster on a terminal', () => {
  it('fits 80 columns', () => {
    expect(drawPage(page, { style: plainStyle, width: 80, now })).toBe(
      `Certificates at 2026-11-16 14:05 UTC

Upcoming
├─ ! rotation in progress: new kubelet-client-ca on 2 of 3 nodes
├─ ! worker-3 lags since 14:02: NotReady (kubelet-client-ca)
└─ openshift-kube-apiserver/kubelet-client: refresh due in 12 d

kubelet-client-ca: CAs of clients that kubelets accept
├─ signer  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
│          ━━━━━━━━━╋━━  365 d left  refresh due in 292 d
├─ bundle  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca
│          2 certificates
├─ bundle  openshift-config-managed/kube-apiserver-client-ca → ControllerConfig
│  │       3 certificates
│  ├─ ─────────━━━   72 d left  kube-apiserver-to-kubelet-signer  superseded
│  ├─ ━━━━━━━━━━━━  365 d left  kube-apiserver-to-kubelet-signer@1794837900
│  └─ ━━━━━━━━━━━━ 3550 d left  admin-kubeconfig-signer
├─ leaf    openshift-kube-apiserver/kubelet-client
│          ─━━━━━╋━━━━━   27 d left
│          refresh due in 12 d, signed by an earlier signer until its refresh
└─ nodes   ! 2 of 3 have it
   └─ ! worker-3 lags since 14:02: NotReady
`,
    )
  })

  it('shows a TrustRotation', () => {
    const facts = { ...rotating, rotations: [rotation] }
    const ours = clusterPage(facts, sectionsOf(facts), [])
    expect(drawPage(ours, { style: plainStyle, width: 90, now })).toContain(
      `
├─ signer  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
│  │       ━━━━━━━━━╋━━  365 d left  refresh due in 292 d
│  └─ ! rotation kubelet-client: Preparing since 14:00, delayed by worker-3 (NotReady)
├─ bundle`,
    )
    expect(plainPage(ours, now)).toContain(
      '\n    Attention: rotation kubelet-client: Preparing since 14:00, delayed by worker-3 (NotReady)\n',
    )
  })

  it('fits a narrow window', () => {
    const text = drawPage(page, { style: plainStyle, width: 36, now })
    expect(text.split('\n').filter((line) => line.length > 36)).toEqual([])
    expect(text).toContain(`├─ leaf    openshift-ku…belet-client
│     27 d left
│     refresh due in 12 d, signed by
│     an earlier signer until its
│     refresh
`)
  })

  it('shows the severity with colors and marks', () => {
    const day = 86_400_000
    const validity = (days: number) => ({ notBefore: now - day, notAfter: now + days * day })
    const severities: CertsPage = {
      title: 'Title',
      blocks: [
        {
          text: 'Block',
          children: [
            { text: 'a', validity: validity(-0.5), severity: 'ended' },
            { text: 'b', validity: validity(2), severity: 'urgent' },
            { text: 'c', validity: validity(13), severity: 'soon' },
            { text: 'd', validity: validity(29), severity: 'near' },
            { text: 'e', validity: validity(99), severity: 'well' },
          ],
        },
      ],
    }
    const lines = drawPage(severities, { style: colorStyle, width: 60, now }).split('\n').slice(3)
    const shown = lines.map((line) => line.replaceAll('\u001b', '').replaceAll(/─|━/g, ''))
    expect(shown).toEqual([
      '[2m├ [22m[2m[22m[31m[39m [31mexpired 12 h ago[39m  ✗ a',
      '[2m├ [22m[2m[22m[31m[39m [31m   2 d left[39m  ! b',
      '[2m├ [22m[2m[22m[33m[39m [33m  13 d left[39m  ! c',
      '[2m├ [22m[2m[22m[36m[39m [36m  29 d left[39m  d',
      '[2m└ [22m[2m[22m[32m[39m [32m  99 d left[39m  e',
      '',
    ])
  })

  it('escapes control characters', () => {
    const evil: CertsPage = {
      title: 't',
      blocks: [{ text: 'b', children: [{ text: '\u001b[2Jx' }] }],
    }
    expect(drawPage(evil, { style: plainStyle, width: 80, now })).toContain('\\u001b[2Jx')
    expect(plainPage(evil, now)).toContain('\\u001b[2Jx')
  })
})

it('a cluster is printed as sentences without symbols', () => {
  expect(plainPage(page, now)).toBe(
    `Certificates at 2026-11-16 14:05 UTC

Upcoming
  Attention: rotation in progress: new kubelet-client-ca on 2 of 3 nodes
  Attention: worker-3 lags since 14:02: NotReady (kubelet-client-ca)
  openshift-kube-apiserver/kubelet-client: refresh due in 12 days

kubelet-client-ca: CAs of clients that kubelets accept
  signer openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer: 365 days left, until 2027-11-16, refresh due in 292 days
  bundle openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca: 2 certificates
  bundle openshift-config-managed/kube-apiserver-client-ca, then ControllerConfig: 3 certificates
    kube-apiserver-to-kubelet-signer: 72 days left, until 2027-01-27, superseded
    kube-apiserver-to-kubelet-signer@1794837900: 365 days left, until 2027-11-16
    admin-kubeconfig-signer: 3550 days left, until 2036-08-05
  leaf openshift-kube-apiserver/kubelet-client: 27 days left, until 2026-12-13, refresh due in 12 days, signed by an earlier signer until its refresh
  Attention: nodes 2 of 3 have it
    Attention: worker-3 lags since 14:02: NotReady
`,
  )
})
