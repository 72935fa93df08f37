import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { nodes } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../src/api/kinds/resources.ts'
import { machineConfigPools, machineConfigs } from '../../src/api/kinds/resources.ts'
import { poolOf } from './checks/budget.ts'
import type { Cluster } from './cluster.ts'
import type { FileState, ConfigSettings } from './settings.ts'
import { crioPath, fileModes, specOf, mergeSettings } from './settings.ts'
import type { Workload } from './workload.ts'

interface Owned {
  readonly role: string
  readonly settings: ConfigSettings
  readonly isBad: boolean
}

/** A blocker that keeps a pool from converging. */
export interface Hold {
  readonly pool: string
  /** How the message of the pool's Updating condition names it. */
  readonly names: RegExp
}

type Kind = 'fine' | 'fails' | 'unreconcilable' | 'unrenderable'

/** The users of a cluster: they change configs, pools, labels and nodes at random, and revert it in the end. */
export class Users {
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #workload: Workload
  readonly #configs = new Map<string, Owned>()
  readonly #cordoned = new Set<string>()
  readonly #apps: ReadonlyMap<string, number>
  /** Pending reverts. */
  readonly #plans = new Set<() => void>()
  #edition = 0

  constructor(cluster: Cluster, workload: Workload, apps: ReadonlyMap<string, number>) {
    this.#cluster = cluster
    this.#random = cluster.newRandom()
    this.#workload = workload
    this.#apps = apps
  }

  /** After a restore users want the restored configs, and revert cordons again that they reverted after the backup. */
  backup(): () => void {
    const configs = new Map(this.#configs)
    const cordoned = new Set(this.#cordoned)
    return () => {
      this.#configs.clear()
      for (const [name, owned] of configs) this.#configs.set(name, owned)
      for (const name of cordoned) this.#cordoned.add(name)
    }
  }

  /** The desired settings of a pool: MachineConfigs of `worker` first, then those of the pool, each by name. */
  desired(pool: string): ConfigSettings {
    const roles = pool === 'infra' ? ['worker', 'infra'] : [pool]
    const all = [...this.#configs].sort(([a], [b]) => (a < b ? -1 : 1))
    return mergeSettings(
      roles.flatMap((role) =>
        all.flatMap(([, each]) => (each.role === role ? [each.settings] : [])),
      ),
    )
  }

  /** Creates the first MachineConfig of a pool. */
  createFirstConfig(role: string): void {
    this.#put(`00-${role}`, role, this.#settings('fine'), false)
  }

  changeConfig(): void {
    const role = this.#anyPool().metadata.name
    const name = `${between(this.#random, 20, 25)}-${role}`
    this.#put(name, role, this.#settings('fine'), false)
  }

  removeConfig(): void {
    const removable = [...this.#configs.keys()].filter((name) => !name.startsWith('00-'))
    const name = this.#any(removable)
    if (name !== undefined) this.#drop(name)
  }

  breakConfig(): void {
    const role = this.#anyPool().metadata.name
    const kind = this.#any(['fails', 'fails', 'unreconcilable', 'unrenderable'] as const)!
    const name = `90-bad-${role}`
    this.#put(name, role, this.#settings(kind), true)
    this.#soon(() => this.#configs.get(name)?.isBad && this.#drop(name))
  }

  pause(): void {
    const { name } = this.#anyPool().metadata
    this.#setPool(name, { paused: true })
    this.#soon(() => this.#setPool(name, { paused: false }))
  }

  changeBudget(): void {
    const maxUnavailable = this.#any([1, 1, 2, 3, '34%', '50%', '100%', null])
    this.#setPool(this.#anyPool().metadata.name, { maxUnavailable })
  }

  cordon(): void {
    const node = this.#any(this.#cluster.list(nodes).filter(({ metadata }) => metadata.labels))
    if (!node || node.spec?.unschedulable) return
    const { name } = node.metadata
    this.#cordoned.add(name)
    this.#schedulable(name, false)
    this.#soon(() => this.#uncordon(name))
  }

  /** Moves a node into the custom pool, or out of it. */
  relabel(): void {
    if (!this.#cluster.get(machineConfigPools, { name: 'infra' })) return
    const workers = this.#cluster.list(nodes).filter((node) => label('worker') in labelsOf(node))
    const node = this.#any(workers)
    if (!node) return
    const value = label('infra') in labelsOf(node) ? null : ''
    const labels = { [label('infra')]: value }
    this.#cluster.patch('user', nodes, { name: node.metadata.name }, { metadata: { labels } })
  }

  /** Sets a budget that forbids every eviction of an app. */
  forbidEviction(): void {
    const [app, replicas] = this.#any([...this.#apps]) ?? []
    if (app === undefined || replicas === undefined) return
    this.#workload.demand(app, replicas)
    this.#soon(() => this.#workload.demand(app, replicas - 1))
  }

  /** Adds one blocker that stays until the recovery phase. Returns it, because the pool must name it. */
  hold(): Hold {
    const occupied = this.#cluster
      .list(nodes)
      .map(poolOf)
      .filter((name) => name !== 'none')
    const pool = this.#any(occupied)!
    const member = this.#any(this.#cluster.list(nodes).filter((node) => poolOf(node) === pool))
    const kind = this.#any(['paused', 'cordoned'] as const)!
    if (kind === 'cordoned' && member && !member.spec?.unschedulable) {
      const { name } = member.metadata
      this.#cordoned.add(name)
      this.#schedulable(name, false)
      return { pool, names: new RegExp(`node ${name} .*cordoned`) }
    }
    this.#setPool(pool, { paused: true })
    return { pool, names: /is paused/ }
  }

  /** Creates a config that every node of a pool must reboot for. */
  disturb(pool: string): void {
    const files = new Map([['/etc/motd', { content: `held ${++this.#edition}`, mode: 0o644 }]])
    this.#put(`80-held-${pool}`, pool, { files }, false)
  }

  /** Reverts everything that keeps the cluster from converging. */
  revertAll(): void {
    for (const cancel of this.#plans) cancel()
    this.#plans.clear()
    for (const [name, { isBad }] of this.#configs) if (isBad) this.#drop(name)
    for (const { metadata } of this.#cluster.list(machineConfigPools)) {
      this.#setPool(metadata.name, { paused: false })
    }
    for (const name of this.#cordoned) this.#uncordon(name)
    for (const [app, replicas] of this.#apps) this.#workload.demand(app, replicas - 1)
  }

  #uncordon(name: string): void {
    if (this.#cordoned.delete(name)) this.#schedulable(name, true)
  }

  #schedulable(name: string, isSo: boolean): void {
    this.#cluster.patch('user', nodes, { name }, { spec: { unschedulable: !isSo } })
  }

  #setPool(name: string, spec: Partial<Record<keyof MachineConfigPool['spec'], unknown>>): void {
    this.#cluster.patch('user', machineConfigPools, { name }, { spec })
  }

  #put(name: string, role: string, settings: ConfigSettings, isBad: boolean): void {
    const isNew = !this.#configs.has(name)
    this.#configs.set(name, { role, settings, isBad })
    const labels = { 'machineconfiguration.openshift.io/role': role }
    const spec = specOf(settings)
    if (isNew) this.#cluster.create('user', machineConfigs, { metadata: { name, labels }, spec })
    else {
      // Clear the fields of the last edition that this one lacks.
      const cleared = { kernelArguments: null, fips: null, ...spec }
      const config = { storage: null, systemd: null, ...(spec.config as object) }
      this.#cluster.patch('user', machineConfigs, { name }, { spec: { ...cleared, config } })
    }
  }

  #drop(name: string): void {
    this.#configs.delete(name)
    this.#cluster.remove('user', machineConfigs, { name })
  }

  #settings(kind: Kind): ConfigSettings {
    const edition = ++this.#edition
    const files = new Map<string, FileState>()
    for (const [path, mode] of fileModes) {
      if (this.#random.next() < 0.4) files.set(path, { content: `edition ${edition}`, mode })
    }
    if (kind === 'fails') files.set(crioPath, { content: `bad ${edition}`, mode: 0o644 })
    const isBig = this.#random.next() < 0.25
    return {
      files,
      ...(isBig && {
        unit: `[Service]\nExecStart=/bin/true ${edition}\n[Install]\nWantedBy=multi-user.target\n`,
      }),
      ...(this.#random.next() < 0.15 && { kernelArguments: [`sim=${edition}`] }),
      ...(kind === 'unreconcilable' && { fips: true as const }),
      ...(kind === 'unrenderable' && { broken: true as const }),
    }
  }

  #soon(task: () => unknown): void {
    const cancel = this.#cluster.clock.after(between(this.#random, 1, 12) * 60_000, () => {
      this.#plans.delete(cancel)
      task()
    })
    this.#plans.add(cancel)
  }

  #anyPool(): MachineConfigPool {
    return this.#any(this.#cluster.list(machineConfigPools))!
  }

  #any<T>(list: readonly T[]): T | undefined {
    return list[between(this.#random, 0, list.length - 1)]
  }
}

export const label = (role: string): string => `node-role.kubernetes.io/${role}`

const labelsOf = ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
  metadata.labels ?? {}
