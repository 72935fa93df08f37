import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from './bundle.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-bundle-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('a bundle', () => {
  it('has all that its commands need, without a checkout around it', async () => {
    await bundle(directory)
    const config = `
kind: ControllerConfig
metadata: { name: machine-config-controller }
spec: { clusterDNSIP: 10.96.0.10, images: {}, infra: null }
`
    const args = ['template', '--controller-config=-', '--role=worker']
    const path = `${dirname(process.execPath)}:${process.env['PATH']}`
    const ran = spawnSync(join(directory, 'machinist'), args, {
      input: config,
      encoding: 'utf8',
      cwd: '/',
      env: { ...process.env, PATH: path },
    })
    expect(ran).toMatchObject({ status: 0, stderr: '' })
    expect(ran.stdout).toContain('name: 01-worker-kubelet')
  })
})
