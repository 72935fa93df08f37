import { describe, expect, it } from 'vitest'
import { now, rotating, rotation } from '../../views/certs/sample.fixture.ts'
import { coloured, plainStyle } from '../style.ts'
import { drawn, spoken } from './draw.ts'
import { sectionsOf } from '../../views/certs/report.ts'
import type { Page } from '../../views/certs/tree.ts'
import { clusterPage } from '../../views/certs/tree.ts'
import { upcoming } from '../../views/certs/upcoming.ts'

const sections = sectionsOf(rotating)
const page = clusterPage(rotating, sections, upcoming(rotating, sections))

describe('a cluster on a terminal', () => {
  it('of 80 columns', () => {
    expect(drawn(page, { style: plainStyle, width: 80, now })).toBe(
      `Certificates at 2026-11-16 14:05 UTC

What is about to happen
├─ ! rotation in progress: new kubelet-client-ca on 2 of 3 nodes
├─ ! worker-3 lags since 14:02: NotReady (kubelet-client-ca)
└─ openshift-kube-apiserver/kubelet-client: refresh due in 12 d

kubelet-client-ca: those whom kubelets let in
├─ signer  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
│          ━━━━━━━━━╋━━  365 d left  refresh due in 292 d
├─ bundle  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca
│          2 certificates
├─ bundle  openshift-config-managed/kube-apiserver-client-ca → ControllerConfig
│  │       3 certificates
│  ├─ ─────────━━━   72 d left  kube-apiserver-to-kubelet-signer  earlier one
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

  it('with a rotation of ours', () => {
    const facts = { ...rotating, rotations: [rotation] }
    const ours = clusterPage(facts, sectionsOf(facts), [])
    expect(drawn(ours, { style: plainStyle, width: 90, now })).toContain(
      `
├─ signer  openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
│  │       ━━━━━━━━━╋━━  365 d left  refresh due in 292 d
│  └─ ! rotation kubelet-client: Preparing since 14:00, held up by worker-3 (NotReady)
├─ bundle`,
    )
    expect(spoken(ours, now)).toContain(
      '\n    Attention: rotation kubelet-client: Preparing since 14:00, held up by worker-3 (NotReady)\n',
    )
  })

  it('that is narrow', () => {
    const text = drawn(page, { style: plainStyle, width: 36, now })
    expect(text.split('\n').filter((line) => line.length > 36)).toEqual([])
    expect(text).toContain(`├─ leaf    openshift-ku…belet-client
│     27 d left
│     refresh due in 12 d, signed by
│     an earlier signer until its
│     refresh
`)
  })

  it('has colours that say how long it goes well, and marks that say the same', () => {
    const day = 86_400_000
    const life = (days: number) => ({ notBefore: now - day, notAfter: now + days * day })
    const moods: Page = {
      title: 'Title',
      blocks: [
        {
          text: 'Block',
          children: [
            { text: 'a', life: life(-0.5), mood: 'ended' },
            { text: 'b', life: life(2), mood: 'urgent' },
            { text: 'c', life: life(13), mood: 'soon' },
            { text: 'd', life: life(29), mood: 'near' },
            { text: 'e', life: life(99), mood: 'well' },
          ],
        },
      ],
    }
    const lines = drawn(moods, { style: coloured, width: 60, now }).split('\n').slice(3)
    const shown = lines.map((line) => line.replaceAll('\u001b', '').replaceAll(/─|━/g, ''))
    expect(shown).toEqual([
      '[2m├ [22m[2m[22m[31m[39m [31mended 12 h ago[39m  ✗ a',
      '[2m├ [22m[2m[22m[31m[39m [31m   2 d left[39m  ! b',
      '[2m├ [22m[2m[22m[33m[39m [33m  13 d left[39m  ! c',
      '[2m├ [22m[2m[22m[36m[39m [36m  29 d left[39m  d',
      '[2m└ [22m[2m[22m[32m[39m [32m  99 d left[39m  e',
      '',
    ])
  })

  it('is moved by nobody else', () => {
    const evil: Page = { title: 't', blocks: [{ text: 'b', children: [{ text: '\u001b[2Jx' }] }] }
    expect(drawn(evil, { style: plainStyle, width: 80, now })).toContain('\\u001b[2Jx')
    expect(spoken(evil, now)).toContain('\\u001b[2Jx')
  })
})

it('a cluster is read out in sentences, without signs', () => {
  expect(spoken(page, now)).toBe(
    `Certificates at 2026-11-16 14:05 UTC

What is about to happen
  Attention: rotation in progress: new kubelet-client-ca on 2 of 3 nodes
  Attention: worker-3 lags since 14:02: NotReady (kubelet-client-ca)
  openshift-kube-apiserver/kubelet-client: refresh due in 12 days

kubelet-client-ca: those whom kubelets let in
  signer openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer: 365 days left, until 2027-11-16, refresh due in 292 days
  bundle openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-client-ca: 2 certificates
  bundle openshift-config-managed/kube-apiserver-client-ca, then ControllerConfig: 3 certificates
    kube-apiserver-to-kubelet-signer: 72 days left, until 2027-01-27, earlier one
    kube-apiserver-to-kubelet-signer@1794837900: 365 days left, until 2027-11-16
    admin-kubeconfig-signer: 3550 days left, until 2036-08-05
  leaf openshift-kube-apiserver/kubelet-client: 27 days left, until 2026-12-13, refresh due in 12 days, signed by an earlier signer until its refresh
  Attention: nodes 2 of 3 have it
    Attention: worker-3 lags since 14:02: NotReady
`,
  )
})
