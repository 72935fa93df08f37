import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

it('the example of the README prints the documented output', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const block = (language: string): string =>
    new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readme)![1]!
  const options = ['--input-type=module-typescript', '--eval', block('ts')]
  const output = execFileSync(process.execPath, options, { cwd: root, encoding: 'utf8' })
  expect(output).toBe(block('text'))
})
