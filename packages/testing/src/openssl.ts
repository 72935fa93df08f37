import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs openssl with these files in its directory. The answer is what it printed and what lies there afterwards. */
export function openssl(
  files: Readonly<Record<string, string>>,
  ...words: readonly string[]
): { readonly printed: string; readonly read: (name: string) => string } {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-openssl-'))
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(directory, name), content)
    const printed = execFileSync('openssl', words, {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const made = words.flatMap((word, i) =>
      word === '-out' || word === '-keyout' ? [words[i + 1]!] : [],
    )
    const contents = new Map(
      made.map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    )
    return { printed, read: (name) => contents.get(name)! }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
