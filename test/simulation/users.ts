import type { MachineConfigPool } from '../../src/api/resources.ts'
import { machineConfigPools, machineConfigs } from '../../src/api/resources.ts'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { nodes } from '@machinist/kube/kinds/core'
import { poolOf } from './checks/budget.ts'
import type { Cluster } from './cluster.ts'
import type { FileState, Settings } from './settings.ts'
import { crioPath, fileModes, specOf, together } from './settings.ts'
import type { Workload } from './workload.ts'

interface Owned {
  readonly role: string
  readonly settings: Settings
  readonly isBad: boolean
}

/** Something that keeps a pool from converging. */
export interface Hold {
  readonly pool: string
  /** How the pool's Updating condition speaks of it. */
  readonly names: RegExp
}

type Kind = 'fine' | 'fails' | 'unreconcilable' | 'unrenderable'

/** The people of a cluster: they change configs, pools, labels and nodes whenever they like, and undo it in the end. */
export class Users {
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #workload: Workload
  readonly #configs = new Map<string, Owned>()
  readonly #cordoned = new Set<string>()
  readonly #apps: ReadonlyMap<string, number>
  /** What they mean to undo. */
  readonly #plans = new Set<() => void>()
  #edition = 0

  constructor(cluster: Cluster, workload: Workload, apps: ReadonlyMap<string, number>) {
    this.#cluster = cluster
    this.#random = cluster.newRandom()
    this.#workload = workload
    this.#apps = apps
  }

  /** After a restore they want what the API asks for; and have to undo again what they had undone since the backup. */
  backup(): () => void {
    const configs = new Map(this.#configs)
    const cordoned = new Set(this.#cordoned)
    return () => {
      this.#configs.clear()
      for (const [name, owned] of configs) this.#configs.set(name, owned)
      for (const name of cordoned) this.#cordoned.add(name)
    }
  }

  /** What a pool's users want: MachineConfigs of `worker` first, then those of the pool, each by name. */
  wanted(pool: string): Settings {
    const roles = pool === 'infra' ? ['worker', 'infra'] : [pool]
    const all = [...this.#configs].sort(([a], [b]) => (a < b ? -1 : 1))
    return together(
      roles.flatMap((role) =>
        all.flatMap(([, each]) => (each.role === role ? [each.settings] : [])),
      ),
    )
  }

  /** The MachineConfig that a pool begins with. */
  found(role: string): void {
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

  /** Into the custom pool, or out of it. */
  relabel(): void {
    if (!this.#cluster.get(machineConfigPools, { name: 'infra' })) return
    const workers = this.#cluster.list(nodes).filter((node) => label('worker') in labelsOf(node))
    const node = this.#any(workers)
    if (!node) return
    const value = label('infra') in labelsOf(node) ? null : ''
    const labels = { [label('infra')]: value }
    this.#cluster.patch('user', nodes, { name: node.metadata.name }, { metadata: { labels } })
  }

  /** No pod of an app may go any more. */
  forbidEviction(): void {
    const [app, replicas] = this.#any([...this.#apps]) ?? []
    if (app === undefined || replicas === undefined) return
    this.#workload.demand(app, replicas)
    this.#soon(() => this.#workload.demand(app, replicas - 1))
  }

  /** Puts one thing in the way that stays until peace; what pools have to name then. */
  hold(): Hold {
    const peopled = this.#cluster
      .list(nodes)
      .map(poolOf)
      .filter((name) => name !== 'none')
    const pool = this.#any(peopled)!
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

  /** Something that every node of a pool needs to reboot for. */
  disturb(pool: string): void {
    const files = new Map([['/etc/motd', { content: `held ${++this.#edition}`, mode: 0o644 }]])
    this.#put(`80-held-${pool}`, pool, { files }, false)
  }

  /** Everything that stands in the way of the cluster is taken back. */
  makePeace(): void {
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

  #put(name: string, role: string, settings: Settings, isBad: boolean): void {
    const isNew = !this.#configs.has(name)
    this.#configs.set(name, { role, settings, isBad })
    const labels = { 'machineconfiguration.openshift.io/role': role }
    const spec = specOf(settings)
    if (isNew) this.#cluster.create('user', machineConfigs, { metadata: { name, labels }, spec })
    else {
      // What the last edition had beyond this one goes.
      const cleared = { kernelArguments: null, fips: null, ...spec }
      const config = { storage: null, systemd: null, ...(spec.config as object) }
      this.#cluster.patch('user', machineConfigs, { name }, { spec: { ...cleared, config } })
    }
  }

  #drop(name: string): void {
    this.#configs.delete(name)
    this.#cluster.remove('user', machineConfigs, { name })
  }

  #settings(kind: Kind): Settings {
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
