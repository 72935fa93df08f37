import { labels } from '../../api/labels.ts'
import { machineConfigBuild } from '../../api/maker.ts'
import { names, pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/yaml'
import { decide } from '../../controllers/render/decide.ts'
import type { Facts } from '../../controllers/render/facts.ts'
import { gates } from '../../controllers/render/gates.ts'
import { selectedBy } from '../../controllers/render/gather.ts'
import { inMergeOrder } from '../../fleet/render/merge-order.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { renderedObject } from '../../fleet/render/rendered-object.ts'
import { renderInputs } from '../../fleet/render/renderer.ts'
import { whyUnselected } from '../../controllers/unselected-configs/decide.ts'
import type { Terminal } from '../../process/terminal.ts'
import { version } from '../../process/version.ts'
import { explain, explanationText } from '../../views/render/explain.ts'
import type { RenderObjects } from './render-read.ts'
import { readRenderObjects } from './render-read.ts'
import type { RenderOptions } from './render.ts'

/** What the cluster's own state would hold back does not count: there is no cluster. */
const { selectorIsReadable, selectsNotEverything, somethingIsSelected, inputsAreGood } = gates
const offlineGates = {
  selectorIsReadable,
  selectsNotEverything,
  somethingIsSelected,
  inputsAreGood,
}

/** The rendered MachineConfig of a pool, or where a part of it comes from, as text. */
export async function renderOffline(
  { pool: poolName, filename, output, explain: asked, release }: RenderOptions,
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<string> {
  const objects = await readRenderObjects(filename, terminal)
  const facts = factsFrom(objects, poolOf(poolName, objects), release)
  const decision = decide(
    facts,
    (pool, inputs, images) => renderInputs(pool, inputs, images, release),
    offlineGates,
  )
  if (decision.type === 'blocked') {
    throw new InvalidInput(`pool ${poolName} cannot be rendered: ${decision.block.message}`)
  }
  const { rendered, warnings } = decision
  for (const warning of [...warnings, ...unselectedIn(objects)]) {
    terminal.error(`machinist: warning: ${warning}\n`)
  }
  if (asked === undefined) {
    return printed(renderedObject(facts.pool, rendered, maker, facts.controllerConfig))
  }
  const explanation = explain(asked, facts.inputs, rendered)
  if (!explanation) {
    throw new InvalidInput(
      `the rendered configuration of pool ${poolName} holds nothing called ${asked}; name a path, a unit, a user or a field of the spec`,
    )
  }
  return output === 'json' ? printed(explanation) : explanationText(explanation)

  function printed(value: object): string {
    return output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : toYaml(value)
  }
}

const maker = { version, build: machineConfigBuild(version) }

/** A pool that the operator itself makes need not be in the files. */
function poolOf(name: string, { pools }: RenderObjects): MachineConfigPool {
  const pool = pools.get(name)
  if (pool) return pool
  const known: readonly string[] = Object.values(builtIn)
  if (known.includes(name)) return builtInPool(name)
  const found = [...pools.keys()].join(', ') || 'none'
  throw new InvalidInput(
    `there is no MachineConfigPool ${name} in these files (found: ${found}); a pool other than ${known.join(', ')} has to be in them`,
  )
}

function builtInPool(name: string): MachineConfigPool {
  const machineConfigSelector = { matchLabels: { [labels.role]: name } }
  return { metadata: { name }, spec: { machineConfigSelector } }
}

/** MachineConfigs that would have no effect in a cluster with these pools. */
function unselectedIn({ machineConfigs, pools }: RenderObjects): string[] {
  const others = Object.values(builtIn).filter((name) => !pools.has(name))
  const all = [...others.map(builtInPool), ...pools.values()]
  return [...machineConfigs.values()].flatMap((one) => whyUnselected(one, all) ?? [])
}

function factsFrom(
  { machineConfigs, controllerConfigs }: RenderObjects,
  pool: MachineConfigPool,
  release: RenderOptions['release'],
): Facts {
  const { machineConfigs: selected, problem } = selectedBy(pool, [...machineConfigs.values()])
  const inUse = new Set([pool.status?.configuration?.name, pool.spec.configuration?.name])
  return {
    pool,
    controllerConfig: controllerConfigs.get(names.controllerConfig),
    nodeSettings: [],
    fromTemplates: [],
    inputs: inMergeOrder(selected, release).map((one) => readInput(one, release)),
    ...(problem !== undefined && { selectorProblem: problem }),
    inUse: [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : [])),
    // What would be rendered is asked for, whoever made what is there.
    theirInputs: [],
    theirConfigs: [],
    overrides: [],
    maker,
    release,
  }
}
