import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Comparison, NodeRotation, ComparedRotation } from '../../src/views/compare/facts.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const temporary = mkdtempSync(join(tmpdir(), 'machinist-comparing-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

let printed = { stdout: '', stderr: '' }
let compared: Comparison & { readonly problems: readonly string[] }

beforeAll(async () => {
  const args = ['compare', '--nodes=1,2,infra=1', '--speed=20', '--output=json']
  const env = { ...process.env, TMPDIR: temporary }
  printed = await promisify(execFile)(machinist, args, { env, maxBuffer: 1 << 24 })
  compared = JSON.parse(printed.stdout) as typeof compared
}, 240_000)

const onAll = <T>({ nodes }: ComparedRotation, read: (node: NodeRotation) => T): T[] =>
  nodes.map(read)
const namesOf = (
  { nodes }: ComparedRotation,
  isIncluded: (node: NodeRotation) => boolean,
): string[] => nodes.filter(isIncluded).map(({ name }) => name)
const all = ['master-0', 'worker-0', 'worker-1', 'infra-0']

/** The differences between OpenShift 4.12 and 4.16. */
describe('machinist compare', () => {
  it('renders one new config per pool with rendered delivery, node by node, without the paused pool', () => {
    const { rendered } = compared
    const pools = rendered.newConfigs.map(({ pool }) => pool)
    expect(pools.toSorted()).toEqual(['infra', 'master', 'worker'])
    expect(rendered.newConfigs.every(({ files, units }) => files > 1 && units > 0)).toBe(true)
    expect(namesOf(rendered, ({ trusts }) => trusts)).toEqual(['master-0', 'worker-0', 'worker-1'])
    const [first, second] = ['worker-0', 'worker-1'].map(
      (name) => rendered.nodes.find((node) => node.name === name)!.seconds!,
    )
    expect(second).not.toBe(first)
    expect(onAll(rendered, ({ written }) => written)).toEqual([
      ['/etc/kubernetes/kubelet-ca.crt'],
      ['/etc/kubernetes/kubelet-ca.crt'],
      ['/etc/kubernetes/kubelet-ca.crt'],
      [],
    ])
    expect(rendered.end).toEqual({ phase: 'Preparing', laggards: ['infra-0'], holdingOld: 4 })
  })

  it('needs no config, one file, one read and one write with direct delivery, also on paused nodes', () => {
    const { direct } = compared
    expect(direct.newConfigs).toEqual([])
    expect(namesOf(direct, ({ trusts }) => trusts)).toEqual(all)
    expect(onAll(direct, ({ written }) => written)).toEqual(
      all.map(() => ['/etc/kubernetes/kubelet-ca.crt']),
    )
    expect(onAll(direct, ({ requests }) => requests)).toEqual(
      all.map(() => ({ reads: 1, writes: 1 })),
    )
    expect(onAll(direct, ({ syncs }) => syncs)).toEqual([1, 1, 1, 1])
    expect(direct.end).toEqual({ phase: 'Completed', laggards: [], holdingOld: 0 })
  })

  it('disrupts no node with both deliveries', () => {
    for (const rotation of [compared.rendered, compared.direct]) {
      expect(onAll(rotation, ({ services }) => services)).toEqual(
        all.map(() => ({ daemonReloads: 0, services: [], reboots: 0 })),
      )
      expect(onAll(rotation, ({ cordons, drains }) => [cordons, drains])).toEqual(
        all.map(() => [0, 0]),
      )
      expect(rotation.evictions).toBe(0)
    }
  })

  it('rotates without the not-after annotation, but not without the issuer annotation', () => {
    for (const { issuerOnly, authority } of [compared.rendered, compared.direct]) {
      expect(issuerOnly).toMatchObject({ rotated: false, filesWritten: 0 })
      expect(authority?.commonName).toMatch(
        /^openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@\d+$/,
      )
    }
  })

  it('contains the log lines of the daemons', () => {
    const linesOf = ({ nodes }: ComparedRotation, node: string): string[] =>
      nodes.find(({ name }) => name === node)!.log.map(({ message }) => message)
    expect(linesOf(compared.rendered, 'worker-0')).toEqual(['decided', 'update applied', 'decided'])
    expect(linesOf(compared.rendered, 'infra-0')).toEqual([])
    for (const node of ['worker-0', 'infra-0']) {
      expect(linesOf(compared.direct, node)).toEqual([
        expect.stringMatching(/^Certificate was synced from controllerconfig resourceVersion \d+$/),
      ])
    }
  })

  it('prints its progress, finds no problem, and removes its files', () => {
    const phases = printed.stderr.split('\n').filter((line) => /^ *[\d.]+ s +\d+\/12 /.test(line))
    expect(phases).toHaveLength(12)
    expect(printed.stderr.split('\n')).toHaveLength(13)
    expect(compared.problems).toEqual([])
    expect(existsSync(temporary) && readdirSync(temporary)).toEqual([])
  })
})
