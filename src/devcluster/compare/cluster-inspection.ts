import { isObject } from '@machinist/core/encoding/json'
import type { KubeClient } from '@machinist/kube/client/client'
import { isCondition, poolConditions } from '../../api/conditions.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigPools, machineConfigs, nodeTrusts } from '../../api/kinds/resources.ts'
import { trustItems } from '../../api/trust/items.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import type {
  ComparedAuthority,
  ComparedPool,
  NewConfig,
  NodeRotation,
} from '../../views/compare/facts.ts'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { diskChange } from './disk-snapshot.ts'
import type { Disruptions } from './disruptions.ts'
import type { NodeDisks } from './node-disks.ts'
import { serviceActions } from './service-journal.ts'

/** The part of a node's result that is read while the cluster runs. */
export type InspectedNode = Omit<NodeRotation, 'requests' | 'log' | 'syncs'>

/** The disks of all nodes at one moment, with the journal of their services. */
export type Disks = ReadonlyMap<string, Disk>

interface Disk {
  readonly files: DiskSnapshot
  readonly journal: string
}

/** Reads the state of a running cluster from its API and the disks of its nodes. */
export class ClusterInspection {
  readonly #client: KubeClient
  readonly #disks: NodeDisks
  readonly #pools: readonly ComparedPool[]

  constructor(client: KubeClient, disks: NodeDisks, pools: readonly ComparedPool[]) {
    this.#client = client
    this.#disks = disks
    this.#pools = pools
  }

  /** Whether all nodes of these pools run the newest rendered config. */
  async areUpdated(pools: readonly ComparedPool[]): Promise<boolean> {
    const { items } = await this.#client.list(machineConfigPools)
    return pools.every(({ name, nodes }) => {
      const { spec, status } = items.find(({ metadata }) => metadata.name === name) ?? {}
      const target = spec?.configuration?.name
      return (
        target !== undefined &&
        status?.configuration?.name === target &&
        status.updatedMachineCount === nodes.length &&
        isCondition(status.conditions, poolConditions.updated)
      )
    })
  }

  /** The nodes of these pools whose kubelets trust this CA. */
  async trusting(
    pools: readonly ComparedPool[],
    { fingerprint }: ComparedAuthority,
  ): Promise<string[]> {
    const found: string[] = []
    for (const { name } of nodesOf(pools)) {
      if (await this.#disks.trusts(name, fingerprint)) found.push(name)
    }
    return found
  }

  /** The nodes of these pools that have reported that they trust this CA. */
  async reporting(
    pools: readonly ComparedPool[],
    { fingerprint }: ComparedAuthority,
  ): Promise<string[]> {
    const { items } = await this.#client.list(nodeTrusts)
    const reported = items.filter(({ status }) =>
      status?.items
        ?.find(({ name }) => name === trustItems.kubeletClientCA)
        ?.certificates?.some((certificate) => certificate.fingerprint === fingerprint),
    )
    const names = new Set(reported.map(({ metadata }) => metadata.name))
    return nodesOf(pools).flatMap(({ name }) => (names.has(name) ? [name] : []))
  }

  async disks(): Promise<Disks> {
    const disks = new Map<string, Disk>()
    for (const { name } of nodesOf(this.#pools)) {
      const files = await this.#disks.snapshot(name)
      disks.set(name, { files, journal: await this.#disks.journal(name) })
    }
    return disks
  }

  async renderedConfigs(): Promise<NewConfig[]> {
    const { items } = await this.#client.list(machineConfigs)
    return items.flatMap((config) => {
      const pool = owningPool(config)
      return pool === undefined ? [] : [sizedConfig(config, pool)]
    })
  }

  /** The changes of each node since an earlier state of its disk. */
  async inspectNodes(
    before: Disks,
    disruptions: Disruptions,
    {
      authority,
      since,
    }: { readonly authority: ComparedAuthority | undefined; readonly since: number },
  ): Promise<InspectedNode[]> {
    const after = await this.disks()
    const trusting = authority ? await this.trusting(this.#pools, authority) : []
    const inspected: InspectedNode[] = []
    for (const { name, pool, paused } of nodesOf(this.#pools)) {
      const [old, current] = [before.get(name)!, after.get(name)!]
      const trusts = trusting.includes(name)
      const writtenAt = await this.#disks.trustWrittenAt(name)
      inspected.push({
        name,
        pool,
        paused,
        trusts,
        ...(trusts && { seconds: (writtenAt - since) / 1000 }),
        ...diskChange(old.files, current.files),
        services: serviceActions(current.journal.slice(old.journal.length)),
        ...disruptions.of(name),
      })
    }
    return inspected
  }
}

/** Pure: nodes with their pool. */
export function nodesOf(
  pools: readonly ComparedPool[],
): { readonly name: string; readonly pool: string; readonly paused: boolean }[] {
  return pools.flatMap(({ name: pool, nodes, paused }) =>
    nodes.map((name) => ({ name, pool, paused })),
  )
}

function sizedConfig(config: Readonly<MachineConfig>, pool: string): NewConfig {
  const { storage, systemd } = isObject(config.spec?.config) ? config.spec.config : {}
  const files = lengthOf(storage, 'files')
  return { name: config.metadata.name, pool, files, units: lengthOf(systemd, 'units') }
}

function lengthOf(section: unknown, list: string): number {
  const items = isObject(section) ? section[list] : undefined
  return Array.isArray(items) ? items.length : 0
}
