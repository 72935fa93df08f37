import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { Identity } from './https-calls.ts'

const program = join(import.meta.dirname, '../../../../src/cli/main.ts')

/** `machinist apiserver` as a child process on a free port. */
export class ApiProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #said: { text: string }

  private constructor(url: string, child: ChildProcess, reported: { text: string }) {
    this.url = url
    this.#child = child
    this.#said = reported
  }

  /** Resolves when it is ready; throws its output if it exits before. */
  static async start(directory: string, prefix: readonly string[] = []): Promise<ApiProcess> {
    const [child, reported] = launch(directory, prefix)
    let out = ''
    for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
      out += String(chunk)
      const url = /ready: (https:\S+),/.exec(out)?.[1]
      if (url === undefined) continue
      // Keep reading, so that a full pipe does not block the process.
      child.stdout!.resume()
      return new ApiProcess(url, child, reported)
    }
    await ended(child)
    throw new EndedEarly(child.exitCode, reported.text)
  }

  /** Starts the process and kills it after a delay. */
  static async killedDuringStart(directory: string, afterMs: number): Promise<void> {
    const [child] = launch(directory, [])
    child.stdout!.resume()
    await pause(afterMs)
    child.kill('SIGKILL')
    await ended(child)
  }

  get pid(): number {
    return this.#child.pid!
  }

  get log(): string {
    return this.#said.text
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await ended(this.#child)
  }

  /** The exit code. */
  async terminate(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    await ended(this.#child)
    return this.#child.exitCode
  }
}

export class EndedEarly extends Error {
  readonly code: number | null
  constructor(code: number | null, reported: string) {
    super(reported)
    this.name = 'EndedEarly'
    this.code = code
  }
}

/** The credentials in the kubeconfig of a data directory. */
export function administrator(directory: string): Identity {
  const path = join(directory, 'kubeconfig')
  const { clusters, users } = parseYaml(readFileSync(path, 'utf8'), path) as {
    clusters: { cluster: { 'certificate-authority-data': string } }[]
    users: { user: { token: string } }[]
  }
  const ca = Buffer.from(clusters[0]!.cluster['certificate-authority-data'], 'base64')
  return { ca, token: users[0]!.user.token }
}

function launch(directory: string, prefix: readonly string[]): [ChildProcess, { text: string }] {
  const command = [
    ...prefix,
    process.execPath,
    program,
    'apiserver',
    '--data',
    directory,
    '--listen',
    '127.0.0.1:0',
  ]
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  const reported = { text: '' }
  child.stderr.on('data', (chunk) => (reported.text += String(chunk)))
  // A failing test must not leave the process behind.
  const orphaned = (): void => void child.kill('SIGKILL')
  process.once('exit', orphaned)
  child.once('exit', () => process.off('exit', orphaned))
  return [child, reported]
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
