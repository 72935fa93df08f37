import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Stage } from './stage.ts'
import { kubectlProgram } from './stage.ts'

/** Runs the shell commands under this heading of docs/install.md. */
export async function runDocumentedCommands({ kubeconfig }: Stage, heading: string): Promise<void> {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/install.md'), 'utf8')
  const [, after = ''] = page.split(`\n${heading}\n`)
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(after)!
  const path = `${dirname(kubectlProgram())}:${process.env['PATH']}`
  const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig }
  await promisify(execFile)('sh', ['-euc', commands], { env })
}
