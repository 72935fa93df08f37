import type { AuditSink } from '@machinist/apiserver/http/audit'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Command } from '../commander.ts'
import type { Address } from '../../process/pages.ts'
import type { Terminal } from '../../process/terminal.ts'
import { addressArgument } from './listen-argument.ts'

interface Options {
  readonly data: string
  readonly listen: Address
  readonly kubeconfig?: string
  readonly auditLog?: string
}

export function apiserverCommand(terminal: Terminal): Command {
  return new Command('apiserver')
    .description('run the embedded Kubernetes API in the foreground, for one machine')
    .requiredOption('--data <dir>', 'where its objects, keys and certificates are kept')
    .option(
      '--listen <host:port>',
      'where to listen; port 0 takes any free one (default: 127.0.0.1:6443)',
      addressArgument,
    )
    .option(
      '--kubeconfig <file>',
      'where to write a kubeconfig for its administrator (default: in the data directory)',
    )
    .option(
      '--audit-log <file>',
      'write a line about every request, as kube-apiserver does at level Metadata (default: none)',
    )
    .action(
      async ({
        data,
        listen = usualAddress,
        kubeconfig,
        auditLog,
      }: Partial<Options> & Pick<Options, 'data'>) => {
        const { startEmbeddedApi } = await import('@machinist/apiserver/embedded/embedded-api')
        const audit = auditLog === undefined ? undefined : await openAuditLog(auditLog)
        const log = createLogger({ clock: systemClock, write: terminal.error })
        const told = audit && { audit: audit.sink }
        const api = await startEmbeddedApi({ data, ...listen, kubeconfig, log, ...told })
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
  const { auditLine } = await import('@machinist/apiserver/http/audit-line')
  const { openLogFile } = await import('../../devcluster/log-file.ts')
  const file = openLogFile(path)
  return { sink: (request) => file.write(auditLine(request)), close: () => file.close() }
}

const usualAddress: Address = { host: '127.0.0.1', port: 6443 }
