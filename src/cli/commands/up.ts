import { customResourceDefinition } from '../../api/schema/crd.ts'
import { kinds } from '../../api/kinds.ts'
import { systemClock } from '../../base/clock.ts'
import { createLogger } from '../../base/log.ts'
import type { KubeObject } from '../../base/resource.ts'
import { KubeClient } from '../../kube/client.ts'
import { connectTo } from '../../kube/connection/credentials.ts'
import { realFiles } from '../../kube/connection/files.ts'
import { targetIn } from '../../kube/connection/kubeconfig.ts'
import { commandRunner } from '../../kube/connection/run-command.ts'
import { customResourceDefinitions } from '../../kube/kinds/apiextensions.ts'
import { apply } from '../../kube/patch.ts'
import { HttpTransport } from '../../kube/transport-http.ts'
import { Command } from '../commander.ts'
import type { EmbeddedApi } from '../embedded-api.ts'
import { startEmbeddedApi } from '../embedded-api.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'

export function upCommand(terminal: Terminal): Command {
  return new Command('up')
    .description('start an embedded Kubernetes API with Machinist’s kinds installed, until Ctrl-C')
    .option('--data <dir>', 'where everything is kept', '.machinist')
    .action(async ({ data }: { data: string }) => {
      const log = createLogger({ clock: systemClock, write: terminal.error, level: 'error' })
      const api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log })
      try {
        await installKinds(api)
        terminal.out(welcome(api))
        await terminal.stopped()
      } finally {
        await api.stop()
      }
    })
}

async function installKinds(api: EmbeddedApi): Promise<void> {
  const clock = systemClock
  const text = await realFiles.read(api.kubeconfig)
  const target = await targetIn([{ path: api.kubeconfig, text }])
  const connection = connectTo({
    target,
    files: realFiles,
    run: commandRunner({ clock, env: {} }),
    clock,
  })
  const transport = new HttpTransport({ connection, clock, version })
  const client = new KubeClient({ transport, clock })
  try {
    for (const kind of kinds) {
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

const welcome = (api: EmbeddedApi): string => `
A Kubernetes API with Machinist's kinds runs at ${api.url}. In another terminal:

  export KUBECONFIG=${api.kubeconfig}
  kubectl get mcp
  kubectl explain mcp.spec

Ctrl-C ends it; what you made is still there next time.
`
