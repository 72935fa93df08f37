import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliReference } from './cli/reference.ts'

describe('docs/cli.md', () => {
  it('is up to date', () => {
    const script = join(import.meta.dirname, 'generate-cli.ts')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })

  it('contains commands with their usage, options and defaults', () => {
    const page = cliReference()
    expect(page).toContain('\n## machinist daemon first-boot\n')
    expect(page).toContain('\nmachinist ignition validate [options] <file...>\n')
    expect(page).toMatch(/\n\| `--speed <factor>` +\| [a-z ]+ \| `10` +\|\n/)
  })

  it('has descriptions in lower case without a full stop', () => {
    const cells = [...cliReference().matchAll(/^\| (?:`|\[`)[^|]*\| ([^|]*?) +\|/gm)]
    const wrong = cells.map(([, text]) => text!).filter((text) => /^[A-Z][a-z]|\.$/.test(text))
    expect(wrong.filter((text) => !/^(Ignition|OpenShift|MachineConfig)/.test(text))).toEqual([])
  })
})
