import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toYaml } from '@machinist/core/encoding/yaml'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { bundle } from '../../../scripts/bundle.ts'
import type { Stage } from './stage.ts'

/** The programs of the images, started with the arguments of their pods. */
export class Programs {
  readonly #directory = mkdtempSync(join(tmpdir(), 'machinist-processes-'))
  readonly #running = new Map<string, ChildProcess>()
  readonly children = new ChildProcesses(this.#directory)

  /** A path in the temporary directory. */
  readonly at = (name: string): string => join(this.#directory, name)

  async build(): Promise<void> {
    await Promise.all([bundle(this.at('cluster'), 'cluster'), bundle(this.at('daemon'), 'daemon')])
  }

  /** A kubeconfig with nothing but this credential. */
  kubeconfig({ server, ca }: Stage, name: string, user: object): string {
    const path = this.at(`${name}.kubeconfig`)
    const cluster = { server, 'certificate-authority-data': base64(ca) }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user }],
    }
    writeFileSync(path, toYaml(config), { mode: 0o600 })
    return path
  }

  start(image: 'cluster' | 'daemon', name: string, ...args: string[]): void {
    const child = this.children.start(name, this.at(`${image}/machinist`), args)
    this.#running.set(name, child)
  }

  /** The address of the metrics endpoint that the program logged: `127.0.0.1:1234`. */
  async metricsOf(name: string): Promise<string> {
    const address = (): string | undefined =>
      /^ready: .*https?:\/\/([\d.:]+)/m.exec(this.children.logTail(name, 1000))?.[1]
    await until(`${name} logs its metrics address`, () => address() !== undefined)
    return address()!
  }

  /** Sends SIGTERM to all programs; returns their exit codes. */
  async end(): Promise<Readonly<Record<string, number | null>>> {
    const ends = Array.from(this.#running, async ([name, child]) => {
      const ended = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      return [name, (await ended)[0]] as const
    })
    return Object.fromEntries(await Promise.all(ends))
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
