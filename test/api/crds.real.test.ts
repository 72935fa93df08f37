import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/api/kinds.ts'
import { describeOnRealCluster, startPrivateCluster } from '../support/real-cluster.ts'
import type { Cluster } from '../support/start-cluster.ts'
import type { ExampleObject } from './examples.ts'
import { examples } from './examples.ts'

const crds = join(import.meta.dirname, '../../deploy/crds')

// A cluster of its own: the examples include objects whose names are fixed, such as the pool worker.
describeOnRealCluster('the CRDs on a real API server', () => {
  let cluster: Cluster
  const existing = new Set<string>()
  beforeAll(async () => {
    cluster = await startPrivateCluster()
    run(['apply', '--server-side', '-k', crds])
    run(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'])
  })
  afterAll(() => cluster.stop())

  it('are all established, with structural schemas', () => {
    const list = JSON.parse(run(['get', 'crd', '-o', 'json'])) as { items: Definition[] }
    const states = list.items.map(({ metadata, status }) => {
      const conditions = status.conditions.map(({ type, status }) => `${type}=${status}`)
      return `${metadata.name}: ${conditions.join(' ')}`
    })
    expect(states).toEqual(
      kinds
        .map(({ resource }) => `${resource.plural}.${resource.group}`)
        .sort()
        .map((name) => `${name}: NamesAccepted=True Established=True`),
    )
  })

  describe('take', () => {
    it.each(examples().filter(({ valid }) => valid))('$file', ({ states }) => {
      const { refusal, stored } = submit(states)
      expect(refusal).toBeUndefined()
      const { spec, status } = states.at(-1)!
      expect(stored).toMatchObject({
        ...(spec !== undefined && { spec }),
        ...(status !== undefined && { status }),
      })
    })
  })

  describe('refuse', () => {
    it.each(examples().filter(({ valid }) => !valid))('$file', ({ states, expect: message }) => {
      expect(submit(states).refusal).toContain(message)
    })
  })

  describe('give kubectl get the columns that people know', () => {
    it('for pools', () => {
      expect(header('machine-config-pool/valid/worker.yaml', 'mcp')).toBe(
        'NAME CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT AGE',
      )
    })

    it('for pools, with their values', () => {
      const row = tableOf('machine-config-pool/valid/worker.yaml', 'mcp')[1]
      expect(row?.slice(0, -1).join(' ')).toBe(
        'worker rendered-worker-0123456789abcdef0123456789abcdef True False False 3 3 3 0',
      )
    })

    it('for MachineConfigs', () => {
      const [columns, row] = tableOf('machine-config/valid/rendered.yaml', 'mc')
      expect(columns?.join(' ')).toBe('NAME GENERATEDBYCONTROLLER IGNITIONVERSION AGE')
      expect(row?.slice(1, 3)).toEqual(['00d3f9bb3a4c', '3.2.0'])
    })

    it('for nodes', () => {
      expect(header('machine-config-node/valid/updated.yaml', 'machineconfignodes')).toBe(
        'NAME POOLNAME DESIREDCONFIG CURRENTCONFIG UPDATED AGE',
      )
    })

    it('for nodes, wide', () => {
      const wide = header(
        'machine-config-node/valid/updated.yaml',
        'machineconfignodes',
        '-o',
        'wide',
      )
      expect(wide).toBe(
        'NAME POOLNAME DESIREDCONFIG CURRENTCONFIG UPDATED AGE UPDATEPREPARED UPDATEEXECUTED UPDATEPOSTACTIONCOMPLETE UPDATECOMPLETE RESUMED UPDATEDFILESANDOS CORDONEDNODE DRAINEDNODE REBOOTEDNODE UNCORDONEDNODE',
      )
    })

    it('for rotations, by their short name', () => {
      const [columns, row] = tableOf('trust-rotation/valid/with-status.yaml', 'tr')
      expect(columns?.join(' ')).toBe('NAME PHASE NODES TRUSTING SIGNER ENDS DEGRADED AGE')
      expect(row?.slice(0, -1).join(' ')).toBe(
        'with-status Preparing 3 2 2027-11-16T07:13:00Z False',
      )
    })

    it('for builds, and by short name for runtime settings', () => {
      expect(header('machine-os-build/valid/building.yaml', 'machineosbuilds')).toBe(
        'NAME PREPARED BUILDING SUCCEEDED INTERRUPTED FAILED AGE',
      )
      expect(header('container-runtime-config/valid/limits.yaml', 'ctrcfg')).toBe('NAME AGE')
    })
  })

  it('explain themselves', () => {
    expect(run(['explain', 'mcp.spec.maxUnavailable'])).toContain(
      'How many nodes may be out of service at once',
    )
  })

  /** Brings an object through its states. A refusal may only come at the last one. */
  function submit(states: readonly ExampleObject[]): Outcome {
    let stored: unknown
    for (const [index, state] of states.entries()) {
      const steps = index === 0 ? creation(state) : update(state)
      for (const step of steps) {
        const { status, stdout, stderr } = kubectl([...step, '-o', 'json'], JSON.stringify(state))
        const last = index === states.length - 1
        if (status !== 0 && !last) throw new Error(`refused before the update: ${stderr}`)
        if (status !== 0) return { stored, refusal: stderr }
        stored = JSON.parse(stdout)
        existing.add(named(state).join('/'))
      }
    }
    return { stored }
  }

  function creation(state: ExampleObject): string[][] {
    if (existing.delete(named(state).join('/'))) run(['delete', ...named(state)])
    return [['create', '-f', '-'], ...statusPatch(state)]
  }

  function update(state: ExampleObject): string[][] {
    const patch = JSON.stringify({ spec: state.spec })
    return [['patch', ...named(state), '--type=merge', '-p', patch], ...statusPatch(state)]
  }

  function statusPatch(state: ExampleObject): string[][] {
    if (state.status === undefined) return []
    const patch = JSON.stringify({ status: state.status })
    return [['patch', ...named(state), '--subresource=status', '--type=merge', '-p', patch]]
  }

  /** What `kubectl get` prints about an example: the header and its row. */
  function tableOf(file: string, ...args: string[]): string[][] {
    const { states } = examples().find((found) => found.file === file)!
    expect(submit(states).refusal).toBeUndefined()
    const rows = run(['get', ...args])
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/).filter((cell) => cell !== ''))
    return rows.filter(([name], i) => i === 0 || name === states[0]?.metadata.name)
  }

  function header(file: string, ...args: string[]): string | undefined {
    return tableOf(file, ...args)[0]?.join(' ')
  }

  function run(args: string[]): string {
    const { status, stdout, stderr } = kubectl(args)
    expect(stderr).toBe('')
    expect(status).toBe(0)
    return stdout
  }

  function kubectl(args: string[], input = ''): Ran {
    return spawnSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args], {
      input,
      encoding: 'utf8',
      timeout: 60_000,
    })
  }
})

/** As kubectl wants to be told which object is meant. */
function named({ kind, metadata }: ExampleObject): string[] {
  const { resource } = kinds.find((known) => known.resource.kind === kind)!
  return [`${resource.plural}.${resource.group}`, metadata.name]
}

interface Outcome {
  /** As the API server gave it back after the last write that it took. */
  stored: unknown
  refusal?: string
}

interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

interface Definition {
  metadata: { name: string }
  status: { conditions: { type: string; status: string }[] }
}
