import { beforeAll, expect, it } from 'vitest'
import * as admission from '@machinist/kube/kinds/admission'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import * as apps from '@machinist/kube/kinds/apps'
import * as core from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import * as rbac from '@machinist/kube/kinds/rbac'
import { runDocumentedCommands } from './documented.ts'
import { manifestsIn } from './manifests.ts'
import type { Stage } from './stage.ts'
import { folder } from './stage.ts'

const everything = ['--server-side', '-k', folder('')]

/** Must be called first. */
export function installing(stage: () => Stage): void {
  it('is applied with kubectl, and a second apply changes nothing', async () => {
    const { kubectl } = stage()
    const output = lines(await kubectl('apply', ...everything))
    expect(output.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([])
    expect(output.length).toBeGreaterThan(80)
    const before = await versionsIn(stage())
    expect(before).toHaveLength(output.length)
    await kubectl('apply', ...everything)
    expect(await versionsIn(stage())).toEqual(before)
  })
}

/** Applies deploy/ without assertions. */
export function installed(stage: () => Stage): void {
  beforeAll(async () => void (await stage().kubectl('apply', ...everything)))
}

/** Requires an installed deploy/. */
export function dryRun(stage: () => Stage): void {
  it('passes a server-side dry run', async () => {
    const output = lines(await stage().kubectl('apply', '--dry-run=server', ...everything))
    expect(output.filter((line) => !line.endsWith(' serverside-applied (server dry run)'))).toEqual(
      [],
    )
    expect(output).toHaveLength(manifestsIn('').length)
  })
}

/** Must be called last. */
export function uninstalling(stage: () => Stage): void {
  it('is uninstalled by the documented commands', async () => {
    await runDocumentedCommands(stage(), '## Uninstalling')
    const left = await versionsIn(stage())
    expect(left.filter((line) => !line.startsWith('Namespace '))).toEqual([])
    const kinds = (await stage().client.list(customResourceDefinitions)).items
    expect(kinds.filter(({ metadata }) => /machine|trust|drain/.test(metadata.name))).toEqual([])
  })
}

/** `ClusterRole machinist-view 123` for each applied object. Uses the generation where there is one: status updates do not count. */
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
