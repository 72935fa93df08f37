import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Comparison, NodeRotation, Rotation } from '../../src/views/compare/facts.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const temporary = mkdtempSync(join(tmpdir(), 'machinist-comparing-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

let said = { stdout: '', stderr: '' }
let compared: Comparison & { readonly problems: readonly string[] }

beforeAll(async () => {
  const args = ['compare', '--nodes=1,2,infra=1', '--speed=20', '--output=json']
  const env = { ...process.env, TMPDIR: temporary }
  said = await promisify(execFile)(machinist, args, { env, maxBuffer: 1 << 24 })
  compared = JSON.parse(said.stdout) as typeof compared
}, 240_000)

const everywhere = <T>({ nodes }: Rotation, of: (node: NodeRotation) => T): T[] => nodes.map(of)
const named = ({ nodes }: Rotation, is: (node: NodeRotation) => boolean): string[] =>
  nodes.filter(is).map(({ name }) => name)
const all = ['master-0', 'worker-0', 'worker-1', 'infra-0']

/** What people show by hand when they explain how 4.12 and 4.16 differ. */
describe('machinist compare', () => {
  it('in rendered configs: one new config per pool, node by node, and a paused pool is left out', () => {
    const { rendered } = compared
    const pools = rendered.newConfigs.map(({ pool }) => pool)
    expect(pools.toSorted()).toEqual(['infra', 'master', 'worker'])
    expect(rendered.newConfigs.every(({ files, units }) => files > 1 && units > 0)).toBe(true)
    expect(named(rendered, ({ trusts }) => trusts)).toEqual(['master-0', 'worker-0', 'worker-1'])
    const [first, second] = ['worker-0', 'worker-1'].map(
      (name) => rendered.nodes.find((node) => node.name === name)!.seconds!,
    )
    expect(second).not.toBe(first)
    expect(everywhere(rendered, ({ written }) => written)).toEqual([
      ['/etc/kubernetes/kubelet-ca.crt'],
      ['/etc/kubernetes/kubelet-ca.crt'],
      ['/etc/kubernetes/kubelet-ca.crt'],
      [],
    ])
    expect(rendered.end).toEqual({ phase: 'Preparing', laggards: ['infra-0'], holdingOld: 4 })
  })

  it('past them: no config, one file, one read and one write, on paused nodes too', () => {
    const { direct } = compared
    expect(direct.newConfigs).toEqual([])
    expect(named(direct, ({ trusts }) => trusts)).toEqual(all)
    expect(everywhere(direct, ({ written }) => written)).toEqual(
      all.map(() => ['/etc/kubernetes/kubelet-ca.crt']),
    )
    expect(everywhere(direct, ({ requests }) => requests)).toEqual(
      all.map(() => ({ reads: 1, writes: 1 })),
    )
    expect(everywhere(direct, ({ syncs }) => syncs)).toEqual([1, 1, 1, 1])
    expect(direct.end).toEqual({ phase: 'Completed', laggards: [], holdingOld: 0 })
  })

  it('either way nobody is disturbed', () => {
    for (const rotation of [compared.rendered, compared.direct]) {
      expect(everywhere(rotation, ({ services }) => services)).toEqual(
        all.map(() => ({ daemonReloads: 0, services: [], reboots: 0 })),
      )
      expect(everywhere(rotation, ({ cordons, drains }) => [cordons, drains])).toEqual(
        all.map(() => [0, 0]),
      )
      expect(rotation.evictions).toBe(0)
    }
  })

  it('shows that the issuer’s annotation does nothing, and the other one rotates', () => {
    for (const { issuerOnly, authority } of [compared.rendered, compared.direct]) {
      expect(issuerOnly).toMatchObject({ rotated: false, filesWritten: 0 })
      expect(authority?.commonName).toMatch(
        /^openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@\d+$/,
      )
    }
  })

  it('has the lines that the daemons logged', () => {
    const linesOf = ({ nodes }: Rotation, node: string): string[] =>
      nodes.find(({ name }) => name === node)!.log.map(({ message }) => message)
    expect(linesOf(compared.rendered, 'worker-0')).toEqual(['decided', 'update applied', 'decided'])
    expect(linesOf(compared.rendered, 'infra-0')).toEqual([])
    for (const node of ['worker-0', 'infra-0']) {
      expect(linesOf(compared.direct, node)).toEqual([
        expect.stringMatching(/^Certificate was synced from controllerconfig resourceVersion \d+$/),
      ])
    }
  })

  it('tells its progress, finds nothing wrong, and leaves nothing behind', () => {
    const phases = said.stderr.split('\n').filter((line) => /^ *[\d.]+ s +\d+\/12 /.test(line))
    expect(phases).toHaveLength(12)
    expect(said.stderr.split('\n')).toHaveLength(13)
    expect(compared.problems).toEqual([])
    expect(existsSync(temporary) && readdirSync(temporary)).toEqual([])
  })
})
