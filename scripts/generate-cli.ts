import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliReference } from './cli/reference.ts'

/**
 * Writes docs/cli.md from the commands of src/cli. With --check it writes nothing and fails if the committed file is outdated.
 */
const file = join(import.meta.dirname, '../docs/cli.md')
const text = cliReference()

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error(
    'docs/cli.md is outdated: run `node scripts/generate-cli.ts` and commit the result.',
  )
  process.exitCode = 1
}
