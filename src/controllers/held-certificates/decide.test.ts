import { beforeAll, describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import { base64Source } from '@machinist/ignition/content'
import { createAuthority } from '@machinist/pki/issue'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { decide } from './decide.ts'
import type { HeldCertificatesFacts } from './facts.ts'

const type = 'machinist.dev/CertificatesHeld'
const until = '2026-12-01T12:00:00Z'
const since = '2026-11-16T14:02:00Z'

async function authority(name: string, end = until): Promise<string> {
  const validity = { from: Date.parse('2026-01-01T00:00:00Z'), until: Date.parse(end) }
  return (await createAuthority({ name, validity })).certificate
}

const config = (name: string, bundle?: string): MachineConfig => {
  const path = '/etc/kubernetes/kubelet-ca.crt'
  const files = bundle === undefined ? [] : [{ path, contents: { source: base64Source(bundle) } }]
  return {
    metadata: { name },
    spec: { config: { ignition: { version: '3.2.0' }, storage: { files } } },
  }
}

const paused = (...conditions: readonly Condition[]): MachineConfigPool => ({
  metadata: { name: 'worker' },
  spec: { paused: true, configuration: { name: 'rendered-worker-2' } },
  status: { configuration: { name: 'rendered-worker-1' }, conditions: [...conditions] },
})

let old: string
let renewed: string
beforeAll(async () => {
  old = await authority('kube-apiserver-to-kubelet-signer')
  renewed = await authority(
    'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1',
    '2027-11-16T00:00:00Z',
  )
})

const facts = (more: Partial<HeldCertificatesFacts> = {}): HeldCertificatesFacts => ({
  pool: paused(),
  delivery: 'rendered',
  current: config('rendered-worker-1', old),
  desired: config('rendered-worker-2', old + renewed),
  now: Date.parse(since),
  ...more,
})
const before: Condition = {
  type,
  status: 'True',
  reason: 'PoolPaused',
  message: 'x',
  lastTransitionTime: '2026-11-10T08:00:00Z',
}

describe('a paused pool that keeps a new kubelet CA from its nodes', () => {
  it('reports the file, the start of the pause and the remaining days', () => {
    expect(decide(facts())).toEqual({
      report: {
        type,
        status: 'True',
        reason: 'PoolPaused',
        message:
          'since 2026-11-16T14:02:00Z the pause keeps a new /etc/kubernetes/kubelet-ca.crt from the nodes of this pool; ' +
          'their trusted signer expires at 2026-12-01T12:00:00Z, 14 days left: unpause the pool, or deliver certificates directly',
      },
      metric: 1_796_126_400,
      // 21 h 58 min, after which it is 13 days.
      requeueAfterMs: 79_080_001,
    })
  })

  it('keeps the start of the pause', () => {
    const { report } = decide(facts({ pool: paused(before) }))
    expect(report?.message).toMatch(/^since 2026-11-10T08:00:00Z the pause keeps/)
  })

  it.each([
    ['2026-11-17T12:00:00Z', 'PoolPaused', '14 days left'],
    ['2026-11-17T12:00:01Z', 'KubeletCAEndsSoon', '13 days left'],
    ['2026-11-30T00:00:00Z', 'KubeletCAEndsSoon', '1 day left'],
    ['2026-12-01T11:59:59Z', 'KubeletCAEndsSoon', '0 days left'],
    ['2026-12-01T12:00:01Z', 'KubeletCAEnded', 'expired at 2026-12-01T12:00:00Z, and logs, exec'],
  ])('at %s is %s: %s', (now, reason, text) => {
    const { report, requeueAfterMs } = decide(facts({ now: Date.parse(now) }))
    expect(report).toMatchObject({ status: 'True', reason })
    expect(report?.message).toContain(text)
    expect(report?.message?.startsWith('critical: ')).toBe(reason !== 'PoolPaused')
    expect(requeueAfterMs === undefined).toBe(reason === 'KubeletCAEnded')
  })

  it('uses the last certificate if no signer has a name of OpenShift', async () => {
    const current = config('rendered-worker-1', await authority('my-ca'))
    const { report, metric } = decide(facts({ current }))
    expect(report?.message).toContain('their last trusted certificate expires at 2026-12-01')
    expect(metric).toBe(0)
  })

  it('is critical if the current file contains no valid certificate', () => {
    const current = config('rendered-worker-1', 'garbage')
    expect(decide(facts({ current }))).toMatchObject({
      report: { status: 'True', reason: 'KubeletCAEndsSoon' },
      metric: 0,
    })
  })
})

describe('nothing is held', () => {
  const running = { ...paused(), spec: { ...paused().spec, paused: false } }
  const same = { ...paused(), status: { configuration: { name: 'rendered-worker-2' } } }
  it.each<[string, () => Partial<HeldCertificatesFacts>, string]>([
    [
      'directly delivered',
      () => ({ delivery: 'direct' }),
      'the trust lane delivers certificates directly',
    ],
    ['not paused', () => ({ pool: running }), 'the pool is not paused'],
    ['up to date', () => ({ pool: same }), 'the nodes run the desired config'],
    [
      'the same bundle',
      () => ({ desired: config('rendered-worker-2', `${old}\n`) }),
      '/etc/kubernetes/kubelet-ca.crt is the same in both configs',
    ],
    [
      'no such file any more',
      () => ({ desired: config('rendered-worker-2') }),
      'rendered-worker-2 has no /etc/kubernetes/kubelet-ca.crt',
    ],
    [
      'no such file before',
      () => ({ current: config('rendered-worker-1') }),
      'rendered-worker-1 has no /etc/kubernetes/kubelet-ca.crt',
    ],
  ])('%s', (_, more, message) => {
    const given = facts(more())
    expect(decide(given)).toEqual({ report: undefined, metric: 0 })
    // Only a pool with the condition gets it reset.
    const pool = { ...given.pool, status: { ...given.pool.status, conditions: [before] } }
    expect(decide({ ...given, pool })).toEqual({
      report: { type, status: 'False', reason: 'NothingHeld', message },
      metric: 0,
    })
  })
})
