import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseYaml } from '@machinist/core/yaml'
import type { Identity } from './https-calls.ts'

const program = join(import.meta.dirname, '../../../../src/cli/main.ts')

/** `machinist apiserver` as a process of its own, on any free port. */
export class ApiProcess {
  readonly url: string
  readonly #child: ChildProcess
  readonly #said: { text: string }

  private constructor(url: string, child: ChildProcess, said: { text: string }) {
    this.url = url
    this.#child = child
    this.#said = said
  }

  /** Resolves when it is ready; throws what it said if it ends before. */
  static async start(directory: string, prefix: readonly string[] = []): Promise<ApiProcess> {
    const [child, said] = launch(directory, prefix)
    let out = ''
    for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
      out += String(chunk)
      const url = /ready: (https:\S+),/.exec(out)?.[1]
      if (url === undefined) continue
      // Somebody has to read on, or a full pipe would stop it.
      child.stdout!.resume()
      return new ApiProcess(url, child, said)
    }
    await ended(child)
    throw new EndedEarly(child.exitCode, said.text)
  }

  /** Begins a start and kills it that much later, wherever it has got to. */
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
  constructor(code: number | null, said: string) {
    super(said)
    this.name = 'EndedEarly'
    this.code = code
  }
}

/** What the administrator's kubeconfig in a data directory says. */
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
  const said = { text: '' }
  child.stderr.on('data', (chunk) => (said.text += String(chunk)))
  // A test that fails must not leave it behind.
  const orphaned = (): void => void child.kill('SIGKILL')
  process.once('exit', orphaned)
  child.once('exit', () => process.off('exit', orphaned))
  return [child, said]
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
