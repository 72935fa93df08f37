import { isCondition, poolConditions } from '../../api/conditions.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigPools, machineConfigs, nodeTrusts } from '../../api/resources.ts'
import { trustItems } from '../../api/trust/items.ts'
import { isObject } from '@machinist/core/json'
import type { KubeClient } from '@machinist/kube/client'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import type { DiskSnapshot } from './disk-snapshot.ts'
import { diskChange } from './disk-snapshot.ts'
import type { Disruptions } from './disruptions.ts'
import type { Authority, ComparedPool, NewConfig, NodeRotation } from '../../views/compare/facts.ts'
import type { NodeDisks } from './node-disks.ts'
import { serviceActions } from './service-journal.ts'

/** What has to be looked at while the cluster runs. */
export type SeenNode = Omit<NodeRotation, 'requests' | 'log' | 'syncs'>

/** The disks of all nodes at one moment, with what their services had been asked for. */
export type Disks = ReadonlyMap<string, Disk>

interface Disk {
  readonly files: DiskSnapshot
  readonly journal: string
}

/** Questions to a running cluster: its API, and the disks of its nodes. */
export class ClusterLook {
  readonly #client: KubeClient
  readonly #disks: NodeDisks
  readonly #pools: readonly ComparedPool[]

  constructor(client: KubeClient, disks: NodeDisks, pools: readonly ComparedPool[]) {
    this.#client = client
    this.#disks = disks
    this.#pools = pools
  }

  /** These pools are in what was rendered for them last, with all their nodes. */
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

  /** Of these pools, the nodes whose kubelets let in whoever this CA vouches for. */
  async trusting(pools: readonly ComparedPool[], { fingerprint }: Authority): Promise<string[]> {
    const found: string[] = []
    for (const { name } of nodesOf(pools)) {
      if (await this.#disks.trusts(name, fingerprint)) found.push(name)
    }
    return found
  }

  /** Of these pools, the nodes that have told the cluster that they trust this CA. */
  async telling(pools: readonly ComparedPool[], { fingerprint }: Authority): Promise<string[]> {
    const { items } = await this.#client.list(nodeTrusts)
    const told = items.filter(({ status }) =>
      status?.items
        ?.find(({ name }) => name === trustItems.kubeletClientCA)
        ?.certificates?.some((certificate) => certificate.fingerprint === fingerprint),
    )
    const names = new Set(told.map(({ metadata }) => metadata.name))
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

  /** What became of each node since its disk looked like this. */
  async seenNodes(
    before: Disks,
    disruptions: Disruptions,
    { authority, since }: { readonly authority: Authority | undefined; readonly since: number },
  ): Promise<SeenNode[]> {
    const after = await this.disks()
    const trusting = authority ? await this.trusting(this.#pools, authority) : []
    const seen: SeenNode[] = []
    for (const { name, pool, paused } of nodesOf(this.#pools)) {
      const [was, is] = [before.get(name)!, after.get(name)!]
      const trusts = trusting.includes(name)
      const writtenAt = await this.#disks.trustWrittenAt(name)
      seen.push({
        name,
        pool,
        paused,
        trusts,
        ...(trusts && { seconds: (writtenAt - since) / 1000 }),
        ...diskChange(was.files, is.files),
        services: serviceActions(is.journal.slice(was.journal.length)),
        ...disruptions.of(name),
      })
    }
    return seen
  }
}

/** Pure: nodes with the pool that they are in. */
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
