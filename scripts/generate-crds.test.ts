import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('the committed files are up to date', () => {
  const script = join(import.meta.dirname, 'generate-crds.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('')
  expect(status).toBe(0)
})
