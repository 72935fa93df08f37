import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { ConformanceTarget } from '@machinist/testing/clusters/target'

export interface Printed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs kubectl as the administrator. */
export function runKubectl(
  target: ConformanceTarget,
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
  target: ConformanceTarget,
  objects: readonly object[],
  ...args: string[]
): Promise<Printed> {
  return runKubectl(target, args, objects.map((object) => toYaml(object)).join('---\n'))
}

/** Starts a kubectl that runs until it is stopped, and reads its lines. */
export function followKubectl(target: ConformanceTarget, ...args: string[]): Following {
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

function connection(target: ConformanceTarget): string[] {
  return [`--kubeconfig=${target.kubeconfig}`, `--cache-dir=${target.directory}/kubectl`]
}

function exitCode(error: Error | null, child: ChildProcess): number {
  return error ? (child.exitCode ?? -1) : 0
}
