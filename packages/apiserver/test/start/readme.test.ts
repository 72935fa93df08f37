import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const cache = join(import.meta.dirname, '../../../../node_modules/.cache')
mkdirSync(cache, { recursive: true })
// Inside the work tree, so that the example can import packages.
const directory = mkdtempSync(join(cache, 'apiserver-readme-'))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('the example of the README lists the namespaces of a new server', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const [, example] = /```ts\n(.*?)```/s.exec(readme)!
  const args = ['--input-type=module-typescript', '--eval', example!]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory })
  expect(stdout.trim().split('\n')).toEqual([
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ])
})
