import { beforeAll, expect, it } from 'vitest'
import * as admission from '@machinist/kube/kinds/admission'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import * as apps from '@machinist/kube/kinds/apps'
import * as core from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import * as rbac from '@machinist/kube/kinds/rbac'
import { asWritten } from './documented.ts'
import { manifestsIn } from './manifests.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'

const everything = ['--server-side', '-k', folder('')]

/** To be called first. */
export function installing(stage: () => Stage): void {
  it('is applied with kubectl, and a second time nothing changes', async () => {
    const { kubectl } = stage()
    const said = lines(await kubectl('apply', ...everything))
    expect(said.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([])
    expect(said.length).toBeGreaterThan(80)
    const before = await versionsIn(stage())
    expect(before).toHaveLength(said.length)
    await kubectl('apply', ...everything)
    expect(await versionsIn(stage())).toEqual(before)
  })
}

/** Where that has been shown. */
export function installed(stage: () => Stage): void {
  beforeAll(async () => void (await stage().kubectl('apply', ...everything)))
}

/** Where it is installed already. */
export function dryRun(stage: () => Stage): void {
  it('passes a dry run of the server', async () => {
    const said = lines(await stage().kubectl('apply', '--dry-run=server', ...everything))
    expect(said.filter((line) => !line.endsWith(' serverside-applied (server dry run)'))).toEqual(
      [],
    )
    expect(said).toHaveLength(manifestsIn('').length)
  })
}

/** To be called last. */
export function uninstalling(stage: () => Stage): void {
  it('is uninstalled as it is written', async () => {
    await asWritten(stage(), '## Uninstalling')
    const left = await versionsIn(stage())
    expect(left.filter((line) => !line.startsWith('Namespace '))).toEqual([])
    const kinds = (await stage().client.list(customResourceDefinitions)).items
    expect(kinds.filter(({ metadata }) => /machine|trust|drain/.test(metadata.name))).toEqual([])
  })
}

/** `ClusterRole machinist-view 123`, for all that is applied. What has a generation may be told how it is meanwhile. */
async function versionsIn({ client }: Stage): Promise<string[]> {
  const all = applied.map(async (resource) => {
    const { items } = await client.listMetadata(resource, {
      labels: 'app.kubernetes.io/part-of=machinist',
    })
    return items.map(
      ({ metadata }) =>
        `${resource.kind} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.generation ?? metadata.resourceVersion}`,
    )
  })
  return (await Promise.all(all)).flat().sort()
}

const applied = [
  admission.validatingAdmissionPolicies,
  admission.validatingAdmissionPolicyBindings,
  apps.daemonSets,
  apps.deployments,
  core.namespaces,
  core.serviceAccounts,
  core.services,
  customResourceDefinitions,
  podDisruptionBudgets,
  rbac.clusterRoleBindings,
  rbac.clusterRoles,
  rbac.roleBindings,
  rbac.roles,
]

const lines = (text: string): string[] => text.trim().split('\n')
