import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connected } from '../../src/process/connect.ts'
import { connect } from '../../src/process/connect.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ChildProcesses } from '@machinist/testing/child-processes'
import { until } from './until.ts'

export const machinist = join(import.meta.dirname, '../../bin/machinist')

export interface Up {
  readonly child: ChildProcess
  /** Goes by the kubeconfig as it is. */
  readonly client: KubeClient
  readonly said: () => string
}

/** `machinist up`, again and again on the same data directory, in a hurry. */
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
    const said = (): string => readFileSync(join(this.#directory, `${name}.log`), 'utf8')
    await until('it says what to try', () => {
      if (child.exitCode !== null) throw new Error(this.#children.logTail(name))
      return said().includes('Try (more in docs/up.md):')
    })
    const connected = await connect({ kubeconfig: this.kubeconfig })
    this.#connected.push(connected)
    return { child, client: connected.client, said }
  }

  onDisk(node: string, path: string): string {
    return readFileSync(join(this.data, 'nodes', node, path), 'utf8')
  }

  /** What went wrong, as its log tells it. */
  errors(): string[] {
    const lines = readFileSync(join(this.data, 'up.log'), 'utf8').split('\n')
    // Who is in a hurry has little patience, too: a busy machine tries that more than once.
    const isTrouble = (line: string): boolean => !line.includes('was not over after')
    return lines.filter((line) => line.includes('"level":"error"') && isTrouble(line))
  }

  async stop(): Promise<void> {
    for (const { close } of this.#connected) close()
    await this.#children.stop()
  }
}
