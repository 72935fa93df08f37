import type { Config } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { until } from '@machinist/testing/until'
import { machineConfigPools, machineConfigs } from '../../../../src/api/kinds/resources.ts'

/** The names with this prefix, sorted. */
export async function namesOf(client: KubeClient, prefix: string): Promise<string[]> {
  const { items } = await client.list(machineConfigs)
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix))
}

/** The texts of its files by path; undefined if there is no such MachineConfig. */
export async function filesOf(
  client: KubeClient,
  name: string,
): Promise<Record<string, string> | undefined> {
  const found = await ignoreNotFound(client.get(machineConfigs, { name }))
  if (!found) return undefined
  const { files = [] } = (found.spec?.config as Config | undefined)?.storage ?? {}
  const texts = files.map(({ path, contents }): [string, string] => [
    path,
    Buffer.from(inlineContent(contents)).toString(),
  ])
  return Object.fromEntries(texts)
}

/** The text of one of its files; undefined if there is no such file, or no such MachineConfig. */
export async function fileOf(
  client: KubeClient,
  name: string,
  path: string,
): Promise<string | undefined> {
  return (await filesOf(client, name))?.[path]
}

export function isGone(client: KubeClient, name: string): Promise<void> {
  return until(`${name} is gone`, async () => {
    return (await ignoreNotFound(client.get(machineConfigs, { name }))) === undefined
  })
}

/** The name of spec.configuration. */
export async function target(client: KubeClient, pool: string): Promise<string | undefined> {
  const { spec } = await client.get(machineConfigPools, { name: pool })
  return spec.configuration?.name
}
