import { kinds } from '../api/kinds.ts'
import type { Kind } from '../api/schema/kind.ts'
import { customResourceDefinition } from '../api/schema/crd.ts'
import { systemClock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import { KubeClient } from '@machinist/kube/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { targetIn } from '@machinist/kube/connection/kubeconfig'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { apply } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport-http'
import { version } from './version.ts'

/** Applies definitions to the cluster that a kubeconfig names: those that every cluster gets, unless said. */
export async function installKinds(
  kubeconfig: string,
  wanted: readonly Kind[] = kinds,
): Promise<void> {
  const clock = systemClock
  const text = await realFiles.read(kubeconfig)
  const target = await targetIn([{ path: kubeconfig, text }])
  const connection = connectTo({
    target,
    files: realFiles,
    run: commandRunner({ clock, env: {} }),
    clock,
  })
  const transport = new HttpTransport({ connection, clock, version })
  const client = new KubeClient({ transport, clock })
  try {
    for (const kind of wanted) {
      const definition = customResourceDefinition(kind) as KubeObject
      await client.patch(
        customResourceDefinitions,
        { name: definition.metadata.name },
        apply(definition, { fieldManager: 'machinist', force: true }),
      )
    }
  } finally {
    transport.close()
  }
}
