import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Transport } from '@machinist/kube/transport/transport'
import type { Place } from './identities.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** A private API server that records every request. */
export interface Stage extends Place {
  /** With administrator permissions. */
  readonly client: KubeClient
  readonly transport: Transport
  readonly kubeconfig: string
  readonly kubectl: (...args: string[]) => Promise<string>
  /** Every request so far. A watch may be recorded only when it ends. */
  readonly recorded: () => RecordedRequest[]
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../../..')

export const folder = (name: string): string => join(root, 'deploy', name)

/** The path of kubectl; downloaded on first use if it is missing. */
export function kubectlProgram(): string {
  if ('missing' in found) throw new Error(found.missing)
  return found.program
}

/** A suite that is skipped if kubectl is not available. */
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
    // A failed checksum is an error, not a reason to skip.
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
    // kubectl prints warnings of the server to stderr.
    const warnings = stderr.split('\n').filter((line) => line !== '' && !known.test(line))
    return [stdout.trimEnd(), ...warnings].join('\n')
  }
}

/** The manifests also tolerate the control plane label of older clusters. */
const known =
  /: node-role\.kubernetes\.io\/master is use "node-role\.kubernetes\.io\/control-plane" instead$/
