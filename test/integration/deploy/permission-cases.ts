import { expect, it } from 'vitest'
import { change } from './attempts.ts'
import { indirectlyNeeded } from './indirect-permissions.ts'
import { requestsOf } from './scenario.ts'
import { userOf } from './identities.ts'
import { accounts, manifestsIn, rolesOf } from './manifests.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { unneededPermissions } from './unneeded-permissions.ts'
import { components } from './component-cases.ts'

/** The signer asks the API server whether a new machine has this permission, and approves its request only then. */
const reviewed = (part: string): RecordedRequest[] =>
  part === 'bootstrapper'
    ? [
        {
          user: userOf(part),
          groups: [],
          verb: 'create',
          group: 'certificates.k8s.io',
          resource: 'certificatesigningrequests/nodeclient',
          namespace: '',
          name: '',
          code: 200,
        },
      ]
    : []

/** Must be called after all scenarios. */
export function permissionCases(stage: () => Stage): void {
  it('no component has a permission that it does not need', async () => {
    const manifests = [...manifestsIn(''), ...manifestsIn('machine-api')]
    const indirect = indirectlyNeeded(stage())
    for (const attempt of indirect.values()) await attempt()
    const all = [...components, 'bootstrapper']
    const found = all.map((part) => {
      const account = userOf(part).split(':').at(-1)!
      const requests = [...requestsOf(stage(), userOf(part)), ...reviewed(part)]
      const needed = { requests, indirect }
      return unneededPermissions(stage().client, rolesOf(account, manifests), needed)
    })
    expect((await Promise.all(found)).flat()).toEqual([])
    expect(all.map((part) => userOf(part).split(':').at(-1)!).sort()).toEqual([...accounts].sort())
  })

  it('a kubelet may not write another Node', async () => {
    expect(await refusal(stage(), 'kubelet worker-0', change('/api/v1/nodes/worker-1'))).toMatch(
      /node "worker-0" is not allowed to modify node "worker-1"/,
    )
  })
}
