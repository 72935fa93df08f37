import { beforeAll, expect, it } from 'vitest'
import { secrets } from '@machinist/kube/kinds/core'
import { makeNamespace } from '../controllers/support/cluster-objects.ts'
import type { Attempt } from './attempts.ts'
import { change, make, remove } from './attempts.ts'
import { refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'

/** The operator may write its own Secrets in openshift-machine-api, and no others: creating a token Secret would be an escalation. */
export function userDataGuards(stage: () => Stage): void {
  const all = '/api/v1/namespaces/openshift-machine-api/secrets'
  const secret = (name: string, more: object = {}): object => ({ metadata: { name }, ...more })
  const data = { userData: '' }
  beforeAll(async () => {
    const { client, kubectl } = stage()
    await makeNamespace(client, 'openshift-machine-api')
    await kubectl('apply', '--server-side', '-k', folder('machine-api'))
    const theirs = { namespace: 'openshift-machine-api', name: 'cloud-credentials' }
    await client.create(secrets, { metadata: theirs, data })
  })

  it('the operator writes the user data Secret of a pool', async () => {
    const ofPool = `${all}/guarded-user-data-managed`
    for (const attempt of [
      make(all, secret('guarded-user-data-managed', { data })),
      change(ofPool, { data }),
      remove(ofPool),
    ]) {
      expect(await refusal(stage(), 'operator', attempt)).toBe('it was allowed')
    }
  })

  const token = {
    type: 'kubernetes.io/service-account-token',
    metadata: {
      name: 'more-user-data-managed',
      annotations: { 'kubernetes.io/service-account.name': 'default' },
    },
  }
  it.each<[string, Attempt, RegExp]>([
    ['create another Secret', make(all, secret('more', { data })), /Secret more is not of a pool$/],
    [
      'change another Secret',
      change(`${all}/cloud-credentials`),
      /cloud-credentials is not of a pool$/,
    ],
    [
      'delete another Secret',
      remove(`${all}/cloud-credentials`),
      /cloud-credentials is not of a pool$/,
    ],
    ['create a token Secret', make(all, token), /a Secret of a pool is of type Opaque$/],
  ])('the operator may not %s', async (_, attempt, reason) => {
    const tried = await refusal(stage(), 'operator', attempt)
    expect(tried).toMatch(/'machinist-user-data-guards' denied request: /)
    expect(tried).toMatch(reason)
  })
}
