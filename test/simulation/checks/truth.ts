import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import type { Change } from '../api/memory-api.ts'
import type { Cluster } from '../cluster.ts'
import type { FileState, ConfigSettings } from '../settings.ts'
import { originals, settingsIn, settingsProblems } from '../settings.ts'
import type { NodeWitness, SimulatedNode } from '../simulated-node.ts'
import { isMovable } from '../workload.ts'
import type { BudgetCheck } from './budget.ts'
import { annotation } from './budget.ts'

/** Reports of nodes are true, files on disk belong to some config, and pods leave nodes only by a drain. */
export class TruthCheck implements NodeWitness {
  readonly #cluster: Cluster
  readonly #budget: BudgetCheck
  readonly #nodes: ReadonlyMap<string, SimulatedNode>
  readonly #rendered = new Map<string, ConfigSettings>()
  readonly #legal = new Map<string, Set<string>>()
  /** Nodes that a user uncordoned, until the controllers had time to notice. */
  readonly #uncordoned = new Map<string, number>()

  constructor(
    cluster: Cluster,
    simulated: ReadonlyMap<string, SimulatedNode>,
    budget: BudgetCheck,
  ) {
    this.#cluster = cluster
    this.#budget = budget
    this.#nodes = simulated
    for (const [path, file] of originals) this.#allow(path, file)
    cluster.api.follow((change) => this.#check(change))
  }

  settings(rendered: string): ConfigSettings | undefined {
    return this.#rendered.get(rendered)
  }

  fileSeen(path: string, file: FileState | undefined): void {
    const legal = this.#legal.get(path)
    if (file === undefined || !legal || legal.has(shown(file))) return
    this.#cluster.violated(
      'no file is torn or has wider permissions than requested',
      `${path}: ${shown(file)}`,
    )
  }

  rebootRequested(name: string): void {
    this.#budget.rebootRequested(name)
    const node = this.#cluster.get(nodes, { name })
    const left = this.#cluster
      .list(pods)
      .filter((pod) => pod.spec?.nodeName === name && isMovable(pod))
    if (left.length === 0 || this.#isExcused(name)) return
    const who = left.map(({ metadata }) => metadata.name).join()
    const how = node?.spec?.unschedulable ? 'cordoned' : 'not cordoned'
    this.#cluster.violated('no pod is lost to a reboot', `${name} (${how}) reboots under ${who}`)
  }

  #check({ resource, type, object, before, actor }: Change): void {
    if (resource.endsWith('/machineconfigs') && type !== 'DELETED') {
      const settings = settingsIn(object)
      this.#rendered.set(object.metadata.name, settings)
      for (const [path, file] of settings.files) this.#allow(path, file)
    }
    if (resource === '/nodes' && type === 'MODIFIED') {
      this.#checkNode(before as Node, object, actor)
    }
    if (resource === '/pods' && actor === 'controllers') this.#evicted(object as Pod)
  }

  #checkNode(was: Node, node: Node, actor: string): void {
    const { name } = node.metadata
    if (was.spec?.unschedulable && !node.spec?.unschedulable && actor === 'user') {
      this.#uncordoned.set(name, this.#cluster.clock.elapsed())
    }
    if (!actor.startsWith('daemon/')) return
    const [current, state] = [annotation(node, 'currentConfig'), annotation(node, 'state')]
    if (current === annotation(was, 'currentConfig') && state === annotation(was, 'state')) return
    if (state === 'Done')
      this.#mustBeIn(name, current, 'a config that is reported as applied is applied')
    if (state === 'Degraded' && annotation(node, 'reason').includes('The update was rolled back')) {
      this.#mustBeIn(name, current, 'a rolled back update leaves the previous config')
    }
  }

  #mustBeIn(name: string, config: string, rule: string): void {
    const machine = this.#nodes.get(name)!.machine.state()
    const desired = this.#rendered.get(config)
    const problems = desired ? settingsProblems(machine, desired) : [`${config} was never seen`]
    if (problems.length > 0) {
      this.#cluster.violated(rule, `${name} in ${config}: ${problems.join('; ')}`)
    }
  }

  #evicted({ metadata, spec }: Pod): void {
    const name = spec?.nodeName ?? ''
    const node = this.#cluster.get(nodes, { name })
    if (node?.spec?.unschedulable || this.#isExcused(name)) return
    this.#cluster.violated('pods leave cordoned nodes only', `${metadata.name} of ${name}`)
  }

  #isExcused(node: string): boolean {
    const at = this.#uncordoned.get(node)
    return at !== undefined && this.#cluster.clock.elapsed() - at < 10 * 60_000
  }

  #allow(path: string, file: FileState): void {
    const legal = this.#legal.get(path) ?? new Set()
    this.#legal.set(path, legal.add(shown(file)))
  }
}

const shown = ({ content, mode }: FileState): string => `${mode.toString(8)} ${content}`
