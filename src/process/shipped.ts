import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The path of a shipped directory: beside the program in a bundle, at the root of a checkout. */
export function shipped(name: 'templates' | 'examples'): string {
  const beside = join(import.meta.dirname, name)
  return existsSync(beside) ? beside : join(import.meta.dirname, '../..', name)
}

/** The command that runs this program: its path in a checkout, its name if it is installed. */
export function ownProgram(): string {
  const path = join(import.meta.dirname, '../../bin/machinist')
  return existsSync(path) ? path : 'machinist'
}

/** The script that finds and downloads kubectl; undefined outside a checkout. */
export function kubectlScript(): string | undefined {
  const path = join(import.meta.dirname, '../../scripts/kubectl.sh')
  return existsSync(path) ? path : undefined
}
