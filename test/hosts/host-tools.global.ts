import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Prepares the trees that the suites boot. If that is not possible, the suites are skipped with the reason. */
export default function setup(project: TestProject): void {
  const script = join(import.meta.dirname, '../../scripts/host-tests.sh')
  const { status, stdout, stderr } = spawnSync(script, ['--prepare'], { encoding: 'utf8' })
  if (status !== 0) process.stderr.write(stderr)
  const missing = stderr.trim() || `${script} failed`
  project.provide('hostTools', status === 0 ? { directory: stdout.trim() } : { missing })
}
