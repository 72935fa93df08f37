import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { toYaml } from '@machinist/core/yaml'
import type { Target } from '@machinist/testing/target'

export interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs kubectl as the administrator. */
export function runKubectl(
  target: Target,
  args: readonly string[],
  input?: string,
): Promise<Printed> {
  return new Promise((resolve) => {
    const child = execFile(
      target.kubectl,
      [...connection(target), ...args],
      { timeout: 45_000, env: { PATH: process.env['PATH'] } },
      (error, stdout, stderr) => resolve({ code: exitCode(error, child), stdout, stderr }),
    )
    child.stdin?.end(input ?? '')
  })
}

/** Runs kubectl with objects on its standard input. */
export function kubectlWith(
  target: Target,
  objects: readonly object[],
  ...args: string[]
): Promise<Printed> {
  return runKubectl(target, args, objects.map((object) => toYaml(object)).join('---\n'))
}

/** Begins a kubectl that goes on until it is ended; gives its lines one by one. */
export function followKubectl(target: Target, ...args: string[]): Following {
  const child = spawn(target.kubectl, [...connection(target), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    line: async () => String((await lines.next()).value),
    end: () => {
      child.kill()
    },
  }
}

export interface Following {
  line(): Promise<string>
  end(): void
}

function connection(target: Target): string[] {
  return [`--kubeconfig=${target.kubeconfig}`, `--cache-dir=${target.directory}/kubectl`]
}

function exitCode(error: Error | null, child: ChildProcess): number {
  return error ? (child.exitCode ?? -1) : 0
}
