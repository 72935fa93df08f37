import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs openssl in a directory with these files. Returns its output and the files that it wrote. */
export function openssl(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): { readonly printed: string; readonly read: (name: string) => string } {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-openssl-'))
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(directory, name), content)
    const printed = execFileSync('openssl', args, {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const written = args.flatMap((arg, i) =>
      arg === '-out' || arg === '-keyout' ? [args[i + 1]!] : [],
    )
    const contents = new Map(
      written.map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    )
    return { printed, read: (name) => contents.get(name)! }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
