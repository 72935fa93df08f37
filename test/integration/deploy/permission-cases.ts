import { expect, it } from 'vitest'
import { change } from './attempts.ts'
import { indirectlyNeeded } from './indirect-permissions.ts'
import { requestsOf } from './scenario.ts'
import { userOf } from './identities.ts'
import { accounts, manifestsIn, rolesOf } from './manifests.ts'
import { refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { unneededPermissions } from './unneeded-permissions.ts'
import { components } from './component-cases.ts'

/** Must be called after all scenarios. */
export function permissionCases(stage: () => Stage): void {
  it('no component has a permission that it does not need', async () => {
    const manifests = [...manifestsIn(''), ...manifestsIn('machine-api')]
    const indirect = indirectlyNeeded(stage())
    for (const attempt of indirect.values()) await attempt()
    const found = components.map((part) => {
      const account = userOf(part).split(':').at(-1)!
      const needed = { requests: requestsOf(stage(), userOf(part)), indirect }
      return unneededPermissions(stage().client, rolesOf(account, manifests), needed)
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
