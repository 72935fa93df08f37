import { systemClock } from '../../base/clock.ts'
import { createLogger } from '../../base/log.ts'
import { Command } from '../commander.ts'
import type { EmbeddedApi } from '../embedded-api.ts'
import type { Terminal } from '../terminal.ts'

export function upCommand(terminal: Terminal): Command {
  return new Command('up')
    .description('start an embedded Kubernetes API with Machinist’s kinds installed, until Ctrl-C')
    .option('--data <dir>', 'where everything is kept', '.machinist')
    .action(async ({ data }: { data: string }) => {
      const { startEmbeddedApi } = await import('../embedded-api.ts')
      const log = createLogger({ clock: systemClock, write: terminal.error, level: 'error' })
      const api = await startEmbeddedApi({ data, host: '127.0.0.1', port: 0, log })
      try {
        const { installKinds } = await import('../install-kinds.ts')
        await installKinds(api.kubeconfig)
        terminal.out(welcome(api))
        await terminal.stopped()
      } finally {
        await api.stop()
      }
    })
}

const welcome = (api: EmbeddedApi): string => `
A Kubernetes API with Machinist's kinds runs at ${api.url}. In another terminal:

  export KUBECONFIG=${api.kubeconfig}
  kubectl get mcp
  kubectl explain mcp.spec

Ctrl-C ends it; what you made is still there next time.
`
