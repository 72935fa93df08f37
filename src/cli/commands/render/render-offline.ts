import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/encoding/yaml'
import { labels } from '../../../api/labels.ts'
import { machineConfigBuild } from '../../../api/maker.ts'
import { names, pools as builtIn } from '../../../api/names.ts'
import type { MachineConfigPool } from '../../../api/kinds/resources.ts'
import { renderChecked } from '../../../controllers/render/checked-render.ts'
import type { PoolRenderFacts } from '../../../controllers/render/facts.ts'
import { offlineInputChain } from '../../../controllers/render/input-checks.ts'
import { selectedBy } from '../../../controllers/render/gather.ts'
import { inMergeOrder } from '../../../fleet/render/merge-order.ts'
import { readInput } from '../../../fleet/render/read-input.ts'
import { renderedObject } from '../../../fleet/render/rendered-object.ts'
import { renderInputs } from '../../../fleet/render/renderer.ts'
import { unselectedReason } from '../../../controllers/unselected-configs/decide.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { version } from '../../../process/version.ts'
import { explain, explanationText } from '../../../views/render/explain.ts'
import type { RenderObjects } from './read-render-files.ts'
import { readRenderObjects } from './read-render-files.ts'
import type { RenderOptions } from './render.ts'

/** The rendered MachineConfig of a pool, or the provenance of a part of it, as text. */
export async function renderOffline(
  { pool: poolName, filename, output, explain: subject, release }: RenderOptions,
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<string> {
  const objects = await readRenderObjects(filename, terminal)
  const facts = factsFrom(objects, poolOf(poolName, objects), release)
  const checked = renderChecked(
    facts,
    (pool, inputs, images) => renderInputs(pool, inputs, images, release),
    offlineInputChain,
  )
  if (checked.type === 'blocked') {
    throw new InvalidInput(`pool ${poolName} cannot be rendered: ${checked.block.message}`)
  }
  const { rendered, warnings } = checked
  for (const warning of [...warnings, ...unselectedIn(objects)]) {
    terminal.error(`machinist: warning: ${warning}\n`)
  }
  if (subject === undefined) {
    return printed(renderedObject(facts.pool, rendered, maker, facts.controllerConfig))
  }
  const explanation = explain(subject, facts.inputs, rendered)
  if (!explanation) {
    throw new InvalidInput(
      `the rendered config of pool ${poolName} contains no ${subject}; name a path, a unit, a user or a field of the spec`,
    )
  }
  return output === 'json' ? printed(explanation) : explanationText(explanation)

  function printed(value: object): string {
    return output === 'json' ? `${JSON.stringify(value, null, 2)}\n` : toYaml(value)
  }
}

const maker = { version, build: machineConfigBuild(version) }

/** The files can omit the built-in pools, which the operator creates. */
function poolOf(name: string, { pools }: RenderObjects): MachineConfigPool {
  const pool = pools.get(name)
  if (pool) return pool
  const known: readonly string[] = Object.values(builtIn)
  if (known.includes(name)) return builtInPool(name)
  const found = [...pools.keys()].join(', ') || 'none'
  throw new InvalidInput(
    `MachineConfigPool ${name} not found in these files (found: ${found}); only ${known.join(', ')} can be omitted`,
  )
}

function builtInPool(name: string): MachineConfigPool {
  const machineConfigSelector = { matchLabels: { [labels.role]: name } }
  return { metadata: { name }, spec: { machineConfigSelector } }
}

/** Warnings about MachineConfigs that no pool selects. */
function unselectedIn({ machineConfigs, pools }: RenderObjects): string[] {
  const others = Object.values(builtIn).filter((name) => !pools.has(name))
  const all = [...others.map(builtInPool), ...pools.values()]
  return [...machineConfigs.values()].flatMap((one) => unselectedReason(one, all) ?? [])
}

function factsFrom(
  { machineConfigs, controllerConfigs }: RenderObjects,
  pool: MachineConfigPool,
  release: RenderOptions['release'],
): PoolRenderFacts {
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
    // The result does not depend on who rendered the existing configs.
    foreignInputs: [],
    foreignConfigs: [],
    overrides: [],
    maker,
    release,
  }
}
