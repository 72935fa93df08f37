import { kinds } from '../api/kinds.ts'
import type { Kind } from '../api/schema/kind.ts'
import { customResourceDefinition } from '../api/schema/crd.ts'
import { systemClock } from '../base/clock.ts'
import type { KubeObject } from '../base/resource.ts'
import { KubeClient } from '../kube/client.ts'
import { connectTo } from '../kube/connection/credentials.ts'
import { realFiles } from '../kube/connection/files.ts'
import { targetIn } from '../kube/connection/kubeconfig.ts'
import { commandRunner } from '../kube/connection/run-command.ts'
import { customResourceDefinitions } from '../kube/kinds/apiextensions.ts'
import { apply } from '../kube/patch.ts'
import { HttpTransport } from '../kube/transport-http.ts'
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
