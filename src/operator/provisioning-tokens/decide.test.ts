import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import type { Secret } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { newTokenSecret } from '../../fleet/provisioning/token-rotation.ts'
import { sampleToken, tokenSecret } from '../../fleet/provisioning/token.fixture.ts'
import type { TokenWrite } from './decide.ts'
import { decide } from './decide.ts'
import type { ProvisioningTokenFacts } from './facts.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const hour = 3_600_000
const day = 24 * hour
const name = 'provisioning-token-worker'
const pool: MachineConfigPool = { metadata: { name: 'worker', uid: 'u-1' }, spec: {} }
const fresh: Secret = applyMergePatch(newTokenSecret(name, pool, sampleToken('a'), now), {
  metadata: { uid: 's-1', resourceVersion: '7' },
}) as Secret

const facts = (more: Partial<ProvisioningTokenFacts> = {}): ProvisioningTokenFacts => ({
  name: 'worker',
  pool,
  isKnown: true,
  secret: fresh,
  now,
  ...more,
})
const writeFor = (more: Partial<ProvisioningTokenFacts> = {}): TokenWrite =>
  decide(facts(more)).write
const changed = (patch: object): Secret => applyMergePatch(fresh, patch) as Secret
const annotated = (annotations: Record<string, string | null>): Secret =>
  changed({ metadata: { annotations } })
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('the token of a pool', () => {
  it('is created if it does not exist', () => {
    expect(writeFor({ secret: undefined })).toEqual({ action: 'create' })
  })

  it('is kept until it is due', () => {
    expect(writeFor()).toEqual({ action: 'none', dueAt: now + 30 * day })
    expect(writeFor({ now: now + 30 * day - 1 })).toMatchObject({ action: 'none' })
  })

  it('is rotated when it is due, guarded by its version', () => {
    expect(writeFor({ now: now + 30 * day })).toEqual({
      action: 'change',
      step: 'rotate',
      repairs: {},
      resourceVersion: '7',
    })
  })

  it('follows the annotations of the pool', () => {
    const annotations = { 'machinist.dev/provisioning-token-refresh': '48h' }
    const often = { ...pool, metadata: { ...pool.metadata, annotations } }
    expect(writeFor({ pool: often })).toEqual({ action: 'none', dueAt: now + 2 * day })
    const odd = { 'machinist.dev/provisioning-token-overlap': 'soon' }
    const plan = decide(
      facts({ pool: { ...pool, metadata: { ...pool.metadata, annotations: odd } } }),
    )
    expect(plan.settings.problems).toHaveLength(1)
    expect(plan.write).toEqual({ action: 'none', dueAt: now + 30 * day })
  })

  it('from before the rotation is removed when the overlap ends', () => {
    const secret = changed({
      metadata: { annotations: { 'machinist.dev/previous-valid-until': '2026-01-08T00:00:00Z' } },
      data: { previous: base64(sampleToken('b')) },
    })
    expect(writeFor({ secret })).toEqual({ action: 'none', dueAt: now + 7 * day })
    expect(writeFor({ secret, now: now + 7 * day })).toMatchObject({ step: 'retire' })
    const endless = changed({ data: { previous: base64(sampleToken('b')) } })
    expect(writeFor({ secret: endless })).toMatchObject({ step: 'retire' })
  })

  it('is not rotated before the overlap of the last rotation ends', () => {
    const secret = changed({
      metadata: { annotations: { 'machinist.dev/previous-valid-until': '2026-03-01T00:00:00Z' } },
      data: { previous: base64(sampleToken('b')) },
    })
    const end = Date.parse('2026-03-01T00:00:00Z')
    expect(writeFor({ secret, now: now + 40 * day })).toEqual({ action: 'none', dueAt: end })
    expect(writeFor({ secret, now: end })).toMatchObject({ step: 'rotate' })
  })

  it('without a readable age, or from the future, is dated', () => {
    const issued = 'machinist.dev/token-issued-at'
    for (const text of [null, 'then', '2026-01-01T00:06:00Z']) {
      expect(writeFor({ secret: annotated({ [issued]: text }) })).toMatchObject({ step: 'date' })
    }
    const skewed = annotated({ [issued]: '2026-01-01T00:05:00Z' })
    expect(writeFor({ secret: skewed })).toMatchObject({ action: 'none' })
  })

  it.each([
    ['is not readable', changed({ data: { token: base64('short') } })],
    ['is missing', changed({ data: { token: null } })],
    ['is of another pool', changed({ metadata: { labels: { 'machinist.dev/pool': 'infra' } } })],
    ['expires', annotated({ 'machinist.dev/token-expires-at': '2027-01-01T00:00:00Z' })],
    ['is for a single use', annotated({ 'machinist.dev/token-uses': '1' })],
    ['was used', annotated({ 'machinist.dev/token-used-by': '10.0.0.5' })],
  ])('is replaced if it %s', (_, secret) => {
    expect(writeFor({ secret })).toMatchObject({ action: 'change', step: 'replace' })
  })

  it('keeps the ranges of the user, and is not touched while they are unreadable', () => {
    const ranges = (text: string): Secret => annotated({ 'machinist.dev/token-cidrs': text })
    expect(writeFor({ secret: ranges('10.0.0.0/8') })).toMatchObject({ action: 'none' })
    expect(writeFor({ secret: ranges('10.0.0.0') })).toEqual({
      action: 'skip',
      why: 'Secret machinist-provisioning/provisioning-token-worker: annotation machinist.dev/token-cidrs must be ranges such as 10.0.0.0/8,fd00::/8. Correct or remove it; the token is not accepted until then',
    })
  })

  it('gets its label and owner again', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: 'c-1' }
    const old = { ...fresh.metadata.ownerReferences![0]!, uid: 'u-0' }
    const secret = changed({ metadata: { ownerReferences: [owner, old] } })
    expect(writeFor({ secret })).toEqual({
      action: 'change',
      step: 'keep',
      repairs: { ownerReferences: [owner, { ...old, uid: 'u-1' }] },
      resourceVersion: '7',
    })
  })

  it('with another type must be deleted by a user', () => {
    expect(writeFor({ secret: { ...fresh, type: 'Opaque' } })).toEqual({
      action: 'skip',
      why: 'Secret machinist-provisioning/provisioning-token-worker has type Opaque, and the type of a Secret cannot be changed: delete it, and the operator creates it again',
    })
  })
})

describe('a pool', () => {
  it('that is deleted takes its token with it', () => {
    expect(writeFor({ pool: undefined })).toEqual({ action: 'remove', uid: 's-1' })
  })

  it('that does not exist does not own a Secret of a user', () => {
    const secret = { ...tokenSecret(), metadata: { ...tokenSecret().metadata, name } }
    expect(writeFor({ name: 'lab', pool: undefined, secret })).toEqual({ action: 'none' })
  })

  it.each([
    [
      'that is being deleted',
      { pool: { ...pool, metadata: { name: 'worker', deletionTimestamp: 'x' } } },
    ],
    [
      'whose Secret is being deleted',
      { secret: changed({ metadata: { deletionTimestamp: 'x' } }) },
    ],
  ])('%s is left alone', (_, more) => {
    expect(writeFor(more)).toEqual({ action: 'none' })
  })

  it('is skipped while Secrets cannot be read', () => {
    expect(writeFor({ isKnown: false, secret: undefined })).toMatchObject({ action: 'skip' })
  })
})

it('a plan without a write is due in the future, whatever the Secret contains', () => {
  const time = fc.constantFrom(
    '2025-06-01T00:00:00Z',
    '2026-01-01T00:00:00Z',
    '2027-01-01T00:00:00Z',
    'x',
  )
  const key = fc.constantFrom(
    'machinist.dev/token-issued-at',
    'machinist.dev/previous-valid-until',
    'machinist.dev/token-expires-at',
    'machinist.dev/token-uses',
  )
  const data = fc.dictionary(
    fc.constantFrom('token', 'previous'),
    fc.constantFrom(base64(sampleToken('a')), base64('short'), ''),
  )
  fc.assert(
    fc.property(fc.dictionary(key, time), data, (annotations, data) => {
      const secret = { ...fresh, data, metadata: { ...fresh.metadata, annotations } }
      const write = writeFor({ secret })
      expect(write.action === 'none' ? (write.dueAt ?? 0) > now : true).toBe(true)
    }),
  )
})
