import { expect, it } from 'vitest'
import { change } from './attempts.ts'
import { askedByTheWay } from './by-the-way.ts'
import { requestsOf } from './deed.ts'
import { userOf } from './identities.ts'
import { accounts, manifestsIn, rolesOf } from './manifests.ts'
import { refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { superfluous } from './superfluous.ts'
import { components } from './whole-jobs.ts'

/** When everything has been asked for that a component ever asks for. */
export function rightsCases(stage: () => Stage): void {
  it('no component has a right that it does not need', async () => {
    const manifests = [...manifestsIn(''), ...manifestsIn('machine-api')]
    const byTheWay = askedByTheWay(stage())
    for (const attempt of byTheWay.values()) await attempt()
    const found = components.map((part) => {
      const account = userOf(part).split(':').at(-1)!
      const needed = { requests: requestsOf(stage(), userOf(part)), byTheWay }
      return superfluous(stage().client, rolesOf(account, manifests), needed)
    })
    expect((await Promise.all(found)).flat()).toEqual([])
    expect(components.map((part) => userOf(part).split(':').at(-1)!).sort()).toEqual(
      [...accounts].sort(),
    )
  })

  it('a kubelet may not write another Node', async () => {
    expect(await refusal(stage(), 'kubelet worker-0', change('/api/v1/nodes/worker-1'))).toMatch(
      /node "worker-0" is not allowed to modify node "worker-1"/,
    )
  })
}
