import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Prepares what the suites boot; where that cannot be had, they are skipped and say why. */
export default function setup(project: TestProject): void {
  const script = join(import.meta.dirname, '../../scripts/host-tests.sh')
  const { status, stdout, stderr } = spawnSync(script, ['--prepare'], { encoding: 'utf8' })
  if (status !== 0) process.stderr.write(stderr)
  const missing = stderr.trim() || `${script} failed`
  project.provide('hostTools', status === 0 ? { directory: stdout.trim() } : { missing })
}
