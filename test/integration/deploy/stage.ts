import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client'
import type { Transport } from '@machinist/kube/transport'
import type { Place } from './identities.ts'
import type { Recorded } from './recorded.ts'

/** An API server of one's own that notes every request. */
export interface Stage extends Place {
  /** The administrator's. */
  readonly client: KubeClient
  readonly transport: Transport
  readonly kubeconfig: string
  readonly kubectl: (...args: string[]) => Promise<string>
  /** Every request so far. Watches may be told of when they end. */
  readonly recorded: () => Recorded[]
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../../..')

export const folder = (name: string): string => join(root, 'deploy', name)

/** A kubectl for this machine. Fetched where there is none, once. */
export function kubectlProgram(): string {
  if ('missing' in found) throw new Error(found.missing)
  return found.program
}

/** A suite that is skipped where no kubectl is to be had. */
export function describeWithKubectl(name: string, suite: () => void): void {
  describe.for([name])('%s', () => {
    if ('program' in found) return suite()
    it('needs kubectl', ({ skip }) => {
      expect(found.missing).toContain('kubectl')
      skip(found.missing)
    })
  })
}

const found = lookForKubectl()

function lookForKubectl(): { readonly program: string } | { readonly missing: string } {
  const script = join(root, 'scripts/kubectl.sh')
  try {
    const program = execFileSync(script, ['--fetch'], { encoding: 'utf8', stdio: 'pipe' }).trim()
    return { program }
  } catch (error) {
    const { status, stderr = '' } = error as { status?: number; stderr?: string }
    // What was fetched is not what was wanted: that is no reason to go on without it.
    if (status !== 3) throw error
    return { missing: stderr.trim() }
  }
}

export function kubectlOf(
  program: string,
  kubeconfig: string,
  cache: string,
): (...args: string[]) => Promise<string> {
  const connection = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cache}`]
  return async (...args) => {
    const { stdout, stderr } = await promisify(execFile)(program, [...connection, ...args])
    // Warnings of the server are on the other one.
    const warnings = stderr.split('\n').filter((line) => line !== '' && !known.test(line))
    return [stdout.trimEnd(), ...warnings].join('\n')
  }
}

/** Workloads go where older clusters have their control plane, too. */
const known =
  /: node-role\.kubernetes\.io\/master is use "node-role\.kubernetes\.io\/control-plane" instead$/
