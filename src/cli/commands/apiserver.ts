import type { AuditSink } from '@machinist/apiserver/http/messages/audit'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Command } from '../options/commander.ts'
import type { Address } from '../../process/pages.ts'
import type { Terminal } from '../../process/terminal.ts'
import { addressArgument } from '../options/listen-argument.ts'

interface ApiserverOptions {
  readonly data: string
  readonly listen: Address
  readonly kubeconfig?: string
  readonly auditLog?: string
}

export function apiserverCommand(terminal: Terminal): Command {
  return new Command('apiserver')
    .description('run the embedded Kubernetes API server on this machine, in the foreground')
    .requiredOption('--data <dir>', 'directory for objects, keys and certificates')
    .option(
      '--listen <host:port>',
      'address to listen on; port 0 selects a free port (default: 127.0.0.1:6443)',
      addressArgument,
    )
    .option(
      '--kubeconfig <file>',
      'file to write the kubeconfig of the administrator to (default: in the data directory)',
    )
    .option(
      '--audit-log <file>',
      'file to write an audit event per request to, at level Metadata (default: none)',
    )
    .action(
      async ({
        data,
        listen = defaultAddress,
        kubeconfig,
        auditLog,
      }: Partial<ApiserverOptions> & Pick<ApiserverOptions, 'data'>) => {
        const { startEmbeddedApi } = await import('@machinist/apiserver/embedded/embedded-api')
        const audit = auditLog === undefined ? undefined : await openAuditLog(auditLog)
        const log = createLogger({ clock: systemClock, write: terminal.error })
        const auditing = audit && { audit: audit.sink }
        const api = await startEmbeddedApi({ data, ...listen, kubeconfig, log, ...auditing })
        terminal.out(`ready: ${api.url}, kubeconfig ${api.kubeconfig}\n`)
        await terminal.stopped()
        await api.stop()
        await audit?.close()
      },
    )
}

async function openAuditLog(
  path: string,
): Promise<{ readonly sink: AuditSink; readonly close: () => Promise<void> }> {
  const { auditLine } = await import('@machinist/apiserver/http/messages/audit-line')
  const { openLogFile } = await import('../../devcluster/log-file.ts')
  const file = openLogFile(path)
  return { sink: (request) => file.write(auditLine(request)), close: () => file.close() }
}

const defaultAddress: Address = { host: '127.0.0.1', port: 6443 }
