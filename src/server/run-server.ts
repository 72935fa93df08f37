import type { FileReader } from '@machinist/core/files'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Access } from './access/access.ts'
import type { StateSource } from './answer/state.ts'
import type { CredentialSource } from './credential/bootstrap-credential.ts'
import { Connections } from './http/connections.ts'
import type { HttpLimits } from './http/limits.ts'
import { httpLimits } from './http/limits.ts'
import type { ListenAddress, Listener } from './http/listener.ts'
import { listen } from './http/listener.ts'
import { ServerReport } from './http/server-report.ts'
import type { CertificateFiles } from './http/serving-certificate.ts'
import { ServingCertificate } from './http/serving-certificate.ts'
import { ConfigService } from './prepared/config-service.ts'
import { PreparedAnswers } from './prepared/prepared-answers.ts'

export interface ServerOptions extends Pick<ControllerContext, 'clock' | 'log' | 'metrics'> {
  /** Cluster mode or directory mode. */
  readonly source: StateSource
  /** Absent if the source provides the whole kubeconfig. */
  readonly credential?: CredentialSource
  readonly access: Access
  readonly secure?: SecureListen
  /** Plain HTTP: everyone on the network reads configs and tokens. */
  readonly insecure?: ListenAddress
  readonly limits?: HttpLimits
  /** Run as long as the server. */
  readonly tasks?: readonly ((signal: AbortSignal) => Promise<unknown>)[]
  /** Called with the URLs of the listeners. */
  readonly listening?: (urls: readonly string[]) => void
}

export interface SecureListen {
  readonly address: ListenAddress
  readonly certificate: CertificateFiles
  readonly files: FileReader
}

export interface RunningServer {
  /** Resolves when the server has stopped. */
  readonly ended: Promise<void>
  /** Why no config can be served; undefined if configs can be served. */
  readonly notReady: () => string | undefined
}

/** Serves configs to new machines until the signal aborts. */
export function runServer(options: ServerOptions, signal: AbortSignal): RunningServer {
  const service = new ConfigService({ ...options, answers: new PreparedAnswers() })
  const ended = serve(options, service, signal)
  // The caller may wait for it later.
  ended.catch(() => {})
  return { ended, notReady: () => service.notReady() }
}

async function serve(
  options: ServerOptions,
  service: ConfigService,
  signal: AbortSignal,
): Promise<void> {
  const { source, credential, clock, log, metrics } = options
  const limits = options.limits ?? httpLimits
  const report = new ServerReport(log, clock, metrics)
  const connections = new Connections(limits.maxConnections, (address) =>
    report.closed('too many connections', address),
  )
  const parts = { ...options, configs: service, limits, report, connections }
  const listeners: Listener[] = []
  // A part that fails stops the others.
  const stop = new AbortController()
  const stopAll = (): void => stop.abort()
  signal.addEventListener('abort', stopAll, { once: true })
  if (signal.aborted) stopAll()
  try {
    const work: Promise<unknown>[] = (options.tasks ?? []).map((task) => task(stop.signal))
    if (options.secure) {
      const { address, certificate: paths, files } = options.secure
      const certificate = new ServingCertificate({ paths, files, clock, log, metrics })
      const pair = await certificate.read()
      const listener = await listen(parts, address, pair)
      listeners.push(listener)
      work.push(certificate.follow(pair, (next) => listener.present(next), stop.signal))
    }
    if (options.insecure) {
      listeners.push(await listen(parts, options.insecure))
      log.info('serving configs without TLS: everyone on the network can read them')
    }
    const urls = listeners.map(({ url }) => url)
    log.info('serving configs', { urls })
    options.listening?.(urls)
    work.push(service.run(stop.signal), source.run(stop.signal))
    if (credential) work.push(credential.run(stop.signal))
    await Promise.all(work)
  } finally {
    stopAll()
    signal.removeEventListener('abort', stopAll)
    await Promise.all(listeners.map((listener) => listener.stop()))
  }
}
