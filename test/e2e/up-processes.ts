import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeClient } from '@machinist/kube/client/client'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import type { Connected } from '../../src/process/connect.ts'
import { connect } from '../../src/process/connect.ts'
import { until } from './until.ts'

export const machinist = join(import.meta.dirname, '../../bin/machinist')

export interface Up {
  readonly child: ChildProcess
  /** Uses the kubeconfig of the data directory. */
  readonly client: KubeClient
  readonly output: () => string
}

/** Accelerated `machinist up` processes, one after the other on the same data directory. */
export class UpProcesses {
  readonly data: string
  readonly kubeconfig: string
  readonly #directory: string
  readonly #children: ChildProcesses
  readonly #connected: Connected[] = []
  #started = 0

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'machinist-up-'))
    this.#children = new ChildProcesses(this.#directory)
    this.data = join(this.#directory, 'data')
    this.kubeconfig = join(this.data, 'kubeconfig')
  }

  argumentsFor(nodes: string): string[] {
    return ['up', `--data=${this.data}`, '--speed=40', `--nodes=${nodes}`]
  }

  async start(nodes: string): Promise<Up> {
    const name = `up-${this.#started++}`
    const child = this.#children.start(name, machinist, this.argumentsFor(nodes))
    const output = (): string => readFileSync(join(this.#directory, `${name}.log`), 'utf8')
    await until('machinist up prints its hints', () => {
      if (child.exitCode !== null) throw new Error(this.#children.logTail(name))
      return output().includes('Try (more in docs/up.md):')
    })
    const connected = await connect({ kubeconfig: this.kubeconfig })
    this.#connected.push(connected)
    return { child, client: connected.client, output }
  }

  onDisk(node: string, path: string): string {
    return readFileSync(join(this.data, 'nodes', node, path), 'utf8')
  }

  /** The errors in its log. */
  errors(): string[] {
    const lines = readFileSync(join(this.data, 'up.log'), 'utf8').split('\n')
    // Acceleration shortens timeouts, too: a busy machine retries.
    const isError = (line: string): boolean => !line.includes('did not finish within')
    return lines.filter((line) => line.includes('"level":"error"') && isError(line))
  }

  async stop(): Promise<void> {
    for (const { close } of this.#connected) close()
    await this.#children.stop()
  }
}
