import { join } from 'node:path'
import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import { auditLine } from '@machinist/apiserver/http/messages/audit-line'
import type { Clock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { Cluster } from '../cluster.ts'
import { startCluster } from '../cluster.ts'
import { createDataDirectory } from '../data-directory.ts'
import type { LogFile } from '../log-file.ts'
import { openLogFile } from '../log-file.ts'
import type { ComparedPool } from '../../views/compare/facts.ts'
import type { LoggedLine } from '../../views/compare/node-log.ts'
import { nodeLine } from '../../views/compare/node-log.ts'
import { NodeDisks } from './node-disks.ts'
import { callerOf } from './request-tally.ts'

export interface ObservedOptions {
  readonly data: string
  readonly delivery: CertificateDelivery
  readonly pools: readonly ComparedPool[]
  readonly speed: number
  readonly clock: Clock
}

/** The cluster of `machinist up`, with recorded requests and log lines. */
export class ObservedCluster {
  readonly cluster: Cluster
  readonly requests: readonly AuditedRequest[]
  readonly lines: readonly LoggedLine[]
  readonly disks: NodeDisks
  readonly #files: readonly LogFile[]

  private constructor(
    cluster: Cluster,
    recorded: Pick<ObservedCluster, 'requests' | 'lines'>,
    data: string,
    files: readonly LogFile[],
  ) {
    this.cluster = cluster
    this.requests = recorded.requests
    this.lines = recorded.lines
    this.disks = new NodeDisks(join(data, 'nodes'))
    this.#files = files
  }

  static async start({
    data,
    delivery,
    pools,
    speed,
    clock,
  }: ObservedOptions): Promise<ObservedCluster> {
    await createDataDirectory(data)
    const requests: AuditedRequest[] = []
    const lines: LoggedLine[] = []
    const [logFile, auditFile] = [
      openLogFile(join(data, 'up.log')),
      openLogFile(join(data, 'audit.log')),
    ]
    const write = (text: string): void => {
      logFile.write(text)
      const line = nodeLine(text)
      if (line) lines.push(line)
    }
    const audit = (request: AuditedRequest): void => {
      auditFile.write(auditLine(request))
      requests.push(request)
    }
    const files = [logFile, auditFile]
    const size = new Map(pools.map(({ name, nodes }) => [name, nodes.length]))
    const log = createLogger({ clock, write })
    try {
      const cluster = await startCluster({ data, size, speed, delivery, log, audit })
      return new ObservedCluster(cluster, { requests, lines }, data, files)
    } catch (error) {
      await Promise.all(files.map((file) => file.close()))
      throw error
    }
  }

  /** When the last request of a daemon ended, in milliseconds since the epoch. */
  get lastRequestAt(): number {
    return this.requests.findLast((request) => callerOf(request) !== undefined)?.endedAt ?? 0
  }

  async stop(): Promise<void> {
    await this.cluster.stop()
    await Promise.all(this.#files.map((file) => file.close()))
  }
}
