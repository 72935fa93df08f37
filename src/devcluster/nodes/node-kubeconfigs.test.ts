import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { openSandbox } from '../../daemon/host/sandbox/sandbox.ts'
import { giveKubeconfigs } from './node-kubeconfigs.ts'

const root = mkdtempSync(join(tmpdir(), 'machinist-kubeconfigs-'))
afterAll(() => rmSync(root, { recursive: true }))

it('a node gets both kubeconfigs once, and only it may read them', async () => {
  const { files } = await openSandbox({ root, clock: systemClock, plainLinks: true })
  await giveKubeconfigs(files, 'first')
  await giveKubeconfigs(files, 'second')
  for (const path of ['etc/kubernetes/kubeconfig', 'var/lib/kubelet/kubeconfig']) {
    const text = readFileSync(join(root, path), 'utf8')
    expect(text).toContain('certificate-authority-data: Zmlyc3Q=')
    expect(statSync(join(root, path)).mode & 0o777).toBe(0o600)
  }
})
