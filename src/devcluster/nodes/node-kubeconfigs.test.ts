import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { openSandbox } from '../../daemon/host/sandbox/sandbox.ts'
import { writeKubeconfigs } from './node-kubeconfigs.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-kubeconfigs-'))
afterAll(() => rmSync(root, { recursive: true }))

it('a node gets both kubeconfigs once, readable by root only', async () => {
  const { files } = await openSandbox({ root, clock: systemClock, plainLinks: true })
  await writeKubeconfigs(files, 'first')
  await writeKubeconfigs(files, 'second')
  for (const path of ['etc/kubernetes/kubeconfig', 'var/lib/kubelet/kubeconfig']) {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text).toContain('certificate-authority-data: Zmlyc3Q=')
    expect(statSync(join(root, path)).mode & 0o777).toBe(0o600)
  }
})
