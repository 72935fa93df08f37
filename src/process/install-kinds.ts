import { systemClock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import { KubeClient } from '@machinist/kube/client/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { targetFromKubeconfig } from '@machinist/kube/connection/kubeconfig'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { apply } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { kinds } from '../api/definitions/kinds.ts'
import type { Kind } from '../api/schema/kind.ts'
import { customResourceDefinition } from '../api/definitions/crd.ts'
import { version } from './version.ts'

/** Applies CustomResourceDefinitions to the cluster of a kubeconfig. Defaults to those for every cluster. */
export async function installKinds(
  kubeconfig: string,
  desired: readonly Kind[] = kinds,
): Promise<void> {
  const clock = systemClock
  const text = await realFiles.read(kubeconfig)
  const target = await targetFromKubeconfig([{ path: kubeconfig, text }])
  const connection = connectTo({
    target,
    files: realFiles,
    run: commandRunner({ clock, env: {} }),
    clock,
  })
  const transport = new HttpTransport({ connection, clock, version })
  const client = new KubeClient({ transport, clock })
  try {
    await applyKinds(client, desired)
  } finally {
    transport.close()
  }
}

/** Applies the CustomResourceDefinitions of these kinds. */
export async function applyKinds(client: KubeClient, desired: readonly Kind[]): Promise<void> {
  for (const kind of desired) {
    const definition = customResourceDefinition(kind) as KubeObject
    await client.patch(
      customResourceDefinitions,
      { name: definition.metadata.name },
      apply(definition, { fieldManager: 'machinist', force: true }),
    )
  }
}
