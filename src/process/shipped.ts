import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where a directory is that comes along: beside the program in a bundle, at the top of a checkout. */
export function shipped(name: 'templates' | 'examples'): string {
  const beside = join(import.meta.dirname, name)
  return existsSync(beside) ? beside : join(import.meta.dirname, '../..', name)
}

/** How people call this program: by its path in a checkout, by its name where it is installed. */
export function ownProgram(): string {
  const path = join(import.meta.dirname, '../../bin/machinist')
  return existsSync(path) ? path : 'machinist'
}

/** Finds and fetches kubectl; undefined outside a checkout. */
export function kubectlScript(): string | undefined {
  const path = join(import.meta.dirname, '../../scripts/kubectl.sh')
  return existsSync(path) ? path : undefined
}
