import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure, ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import type { Cluster } from '@machinist/testing/clusters/start-cluster'
import { imageRegistryKinds, kinds } from '../../../src/api/definitions/kinds.ts'
import type { ExampleObject } from '../../integration/api/examples.ts'
import { examples } from '../../integration/api/examples.ts'

const deploy = join(import.meta.dirname, '../../../deploy')
const all = [...kinds, ...imageRegistryKinds]

// A cluster of its own: the examples include objects whose names are fixed, such as the pool worker.
describeOnRealCluster('the CRDs on a real API server', () => {
  let cluster: Cluster
  let client: KubeClient
  beforeAll(async () => {
    cluster = await startPrivateCluster()
    client = await clientFrom(cluster.kubeconfig)
    for (const folder of ['crds', 'image-registries'])
      run(['apply', '--server-side', '-k', join(deploy, folder)])
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
      all
        .map(({ resource }) => `${resource.plural}.${resource.group}`)
        .sort()
        .map((name) => `${name}: NamesAccepted=True Established=True`),
    )
  })

  describe('take', () => {
    it.each(examples().filter(({ valid }) => valid))('$file', async ({ states }) => {
      const { refusal, stored } = await submit(states)
      expect(refusal).toBeUndefined()
      const { spec, status } = states.at(-1)!
      expect(stored).toMatchObject({
        ...(spec !== undefined && { spec }),
        ...(status !== undefined && { status }),
      })
    })
  })

  describe('refuse', () => {
    it.each(examples().filter(({ valid }) => !valid))(
      '$file',
      async ({ states, expect: message }) => {
        expect((await submit(states)).refusal).toContain(message)
      },
    )
  })

  describe('give kubectl get the columns of MCO', () => {
    it('for pools', async () => {
      expect(await header('machine-config-pool/valid/worker.yaml', 'mcp')).toBe(
        'NAME CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT AGE',
      )
    })

    it('for pools, with their values', async () => {
      const row = (await tableOf('machine-config-pool/valid/worker.yaml', 'mcp'))[1]
      expect(row?.slice(0, -1).join(' ')).toBe(
        'worker rendered-worker-0123456789abcdef0123456789abcdef True False False 3 3 3 0',
      )
    })

    it('for MachineConfigs', async () => {
      const [columns, row] = await tableOf('machine-config/valid/rendered.yaml', 'mc')
      expect(columns?.join(' ')).toBe('NAME GENERATEDBYCONTROLLER IGNITIONVERSION AGE')
      expect(row?.slice(1, 3)).toEqual(['00d3f9bb3a4c', '3.2.0'])
    })

    it('for nodes', async () => {
      expect(await header('machine-config-node/valid/updated.yaml', 'machineconfignodes')).toBe(
        'NAME POOLNAME DESIREDCONFIG CURRENTCONFIG UPDATED AGE',
      )
    })

    it('for nodes, wide', async () => {
      const wide = await header(
        'machine-config-node/valid/updated.yaml',
        'machineconfignodes',
        '-o',
        'wide',
      )
      expect(wide).toBe(
        'NAME POOLNAME DESIREDCONFIG CURRENTCONFIG UPDATED AGE UPDATEPREPARED UPDATEEXECUTED UPDATEPOSTACTIONCOMPLETE UPDATECOMPLETE RESUMED UPDATEDFILESANDOS CORDONEDNODE DRAINEDNODE REBOOTEDNODE UNCORDONEDNODE',
      )
    })

    it('for rotations, by their short name', async () => {
      const [columns, row] = await tableOf('trust-rotation/valid/with-status.yaml', 'tr')
      expect(columns?.join(' ')).toBe('NAME PHASE NODES TRUSTING SIGNEREXPIRES DEGRADED AGE')
      expect(row?.slice(0, -1).join(' ')).toBe(
        'with-status Preparing 3 2 2027-11-16T07:13:00Z False',
      )
    })

    it('for builds, and by short name for runtime settings', async () => {
      expect(await header('machine-os-build/valid/building.yaml', 'machineosbuilds')).toBe(
        'NAME PREPARED BUILDING SUCCEEDED INTERRUPTED FAILED AGE',
      )
      expect(await header('container-runtime-config/valid/limits.yaml', 'ctrcfg')).toBe(
        'NAME SUCCESS FAILURE AGE',
      )
    })
  })

  it('explain themselves', () => {
    expect(run(['explain', 'mcp.spec.maxUnavailable'])).toContain(
      'Maximum number of nodes that may be unavailable at the same time',
    )
  })

  /** Brings an object through its states. A refusal may only come at the last one. */
  async function submit(states: readonly ExampleObject[]): Promise<Outcome> {
    let stored: unknown
    for (const [index, state] of states.entries()) {
      const isLast = index === states.length - 1
      try {
        stored = await (index === 0 ? create(state) : update(state))
      } catch (error) {
        if (!(error instanceof ApiFailure) || !isLast) throw error
        return { stored, refusal: error.message }
      }
    }
    return { stored }
  }

  async function create(state: ExampleObject): Promise<unknown> {
    await ignoreNotFound(client.remove(placeOf(state), state.metadata))
    const stored = await client.create(placeOf(state), state, { fieldValidation: 'Strict' })
    return state.status === undefined ? stored : patchStatus(state)
  }

  async function update(state: ExampleObject): Promise<unknown> {
    const patch = mergePatch({ spec: state.spec })
    const stored = await client.patch(placeOf(state), state.metadata, patch)
    return state.status === undefined ? stored : patchStatus(state)
  }

  function patchStatus({ status, ...state }: ExampleObject): Promise<unknown> {
    const call = { subresource: 'status' } as const
    return client.patch(placeOf(state), state.metadata, mergePatch({ status }), call)
  }

  /** What `kubectl get` prints about an example: the header and its row. */
  async function tableOf(file: string, ...args: string[]): Promise<string[][]> {
    const { states } = examples().find((found) => found.file === file)!
    expect((await submit(states)).refusal).toBeUndefined()
    const rows = run(['get', ...args])
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s{2,}/).filter((cell) => cell !== ''))
    return rows.filter(([name], i) => i === 0 || name === states[0]?.metadata.name)
  }

  async function header(file: string, ...args: string[]): Promise<string | undefined> {
    return (await tableOf(file, ...args))[0]?.join(' ')
  }

  function run(args: string[]): string {
    const { status, stdout, stderr } = kubectl(args)
    expect(stderr).toBe('')
    expect(status).toBe(0)
    return stdout
  }

  function kubectl(args: string[]): Ran {
    return spawnSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args], {
      encoding: 'utf8',
      timeout: 60_000,
    })
  }
})

function placeOf({ kind }: ExampleObject): Resource {
  return all.find(({ resource }) => resource.kind === kind)!.resource
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
