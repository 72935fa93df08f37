import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { filesOf, rendered, unitsOf } from '../template/rendered.ts'

const parts = rendered(exampleControllerConfig('plain-kubernetes')).get('worker')!
const files = filesOf(parts)
const directory = mkdtempSync(join(tmpdir(), 'machinist-sizing-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The flag that the script of the templates writes for a sizing file, on a machine of a given size. */
function flagFor(sizing: string | undefined, gib = 16, cpus = 4): string {
  const [script, given, flag] = ['script', 'given', 'flag'].map((name) => join(directory, name))
  rmSync(given!, { force: true })
  if (sizing !== undefined) writeFileSync(given!, sizing)
  writeFileSync(script!, files.get('/etc/kubernetes/node-sizing.sh')!.text)
  const env = { ...process.env, TOTAL_MEMORY_KIB: String(gib * 2 ** 20), TOTAL_CPUS: String(cpus) }
  execFileSync('/bin/sh', [script!, given!, flag!], { env })
  return readFileSync(flag!, 'utf8')
}
const flag = (cpu: string, memory: string, storage = '1Gi', more = ''): string =>
  `KUBELET_SYSTEM_RESERVED=--system-reserved=cpu=${cpu},memory=${memory},ephemeral-storage=${storage}${more}\n`

describe('the system-reserved resources of a machine', () => {
  it('are those of the templates', () => {
    const { text, mode } = files.get('/etc/node-sizing-enabled.env')!
    expect(mode).toBe(0o644)
    expect(flagFor(text)).toBe(flag('500m', '1Gi'))
  })

  it('are as configured', () => {
    const sizing =
      'NODE_SIZING_ENABLED=false\nSYSTEM_RESERVED_MEMORY=3Gi\nSYSTEM_RESERVED_CPU=2\nSYSTEM_RESERVED_ES=5Gi\nSYSTEM_RESERVED_PID=1000\n'
    expect(flagFor(sizing)).toBe(flag('2', '3Gi', '5Gi', ',pid=1000'))
  })

  it.each([
    [4, 2, '500m', '1Gi'],
    [8, 4, '500m', '1Gi'],
    [16, 8, '500m', '1Gi'],
    [32, 16, '500m', '2Gi'],
    [64, 48, '624m', '4Gi'],
    [128, 64, '816m', '8Gi'],
    [256, 128, '1584m', '11Gi'],
    [1024, 256, '3120m', '26Gi'],
  ])('are computed from %s GiB and %s CPUs', (gib, cpus, cpu, memory) => {
    const sizing = 'NODE_SIZING_ENABLED=true\nSYSTEM_RESERVED_MEMORY=1Gi\nSYSTEM_RESERVED_ES=2Gi\n'
    expect(flagFor(sizing, gib, cpus)).toBe(flag(cpu, memory, '2Gi'))
  })

  it('are computed from the size of this machine', () => {
    const env = { PATH: process.env['PATH'] }
    writeFileSync(join(directory, 'auto'), 'NODE_SIZING_ENABLED=true\n')
    const paths = ['script', 'auto', 'flag'].map((name) => join(directory, name))
    execFileSync('/bin/sh', paths, { env })
    expect(readFileSync(paths[2]!, 'utf8')).toMatch(
      /^KUBELET_SYSTEM_RESERVED=--system-reserved=cpu=\d+m,memory=[1-9]\d*Gi,ephemeral-storage=1Gi\n$/,
    )
  })

  it.each([undefined, '', 'nonsense\n', 'NODE_SIZING_ENABLED=$(reboot)\n'])(
    'are never less than the default: %j',
    (sizing) => {
      expect(flagFor(sizing)).toBe(flag('500m', '1Gi'))
    },
  )

  it('are passed to the kubelet, which also starts without them', () => {
    const { contents = '' } = unitsOf(parts).find(({ name }) => name === 'kubelet.service')!
    expect(contents).toContain('ExecStartPre=-/bin/sh /etc/kubernetes/node-sizing.sh\n')
    expect(contents).toContain('EnvironmentFile=-/run/kubelet-node-sizing.env\n')
    expect(contents).toMatch(/^ {4}\$KUBELET_SYSTEM_RESERVED \\$/m)
    const script = files.get('/etc/kubernetes/node-sizing.sh')!.text
    expect(script).toContain('${1:-/etc/node-sizing-enabled.env}')
    expect(script).toContain('${2:-/run/kubelet-node-sizing.env}')
    expect(files.get('/etc/kubernetes/kubelet.conf')!.text).not.toContain('systemReserved')
  })
})
