import { isObject } from '@machinist/core/encoding/json'
import { dropinPath, unitPath } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { PlanInput } from '../../planner/model/plan-input.ts'
import { plan } from '../../planner/plan.ts'
import type { NodeFacts, UpdatePlan } from '../../planner/model/update-plan.ts'
import type { Difference } from '../verify/difference.ts'

/** Plans to rewrite what differs, with the actions of such changes; undefined if that needs a drain or a reboot. */
export function healPlan(
  config: MachineConfig,
  differences: readonly Difference[],
  rules: Pick<PlanInput, 'rules' | 'delivery'>,
  facts: NodeFacts,
): UpdatePlan | undefined {
  if (differences.some(({ kind }) => !rewritable.has(kind))) return undefined
  const lost = withoutPaths(config, new Set(differences.map(({ at }) => at)))
  const healing = plan({
    current: lost,
    desired: config,
    ...rules,
    facts: { ...facts, forced: false },
    // An unsupported OS setting does not keep files from being healed.
    osLimits: 'note',
  })
  const isHarmless = healing.reconcilable && !healing.reboot && !healing.drain
  return isHarmless && healing.changes.length > 0 ? healing : undefined
}

const rewritable: ReadonlySet<Difference['kind']> = new Set(['file', 'unit', 'dropin'])

/** The config without these paths, so that the planner treats them as missing. */
function withoutPaths(config: MachineConfig, paths: ReadonlySet<string>): MachineConfig {
  const ignition = config.spec?.config
  if (!isObject(ignition)) return config
  const { storage, systemd } = ignition
  const reduced = {
    ...ignition,
    ...(isObject(storage) && {
      storage: {
        ...storage,
        files: members(storage['files']).filter((file) => !paths.has(String(file['path']))),
      },
    }),
    ...(isObject(systemd) && {
      systemd: {
        ...systemd,
        units: members(systemd['units']).flatMap((unit) => unitWithout(unit, paths)),
      },
    }),
  }
  return { ...config, spec: { ...config.spec, config: reduced } }
}

function unitWithout(unit: Members, paths: ReadonlySet<string>): Members[] {
  const name = String(unit['name'])
  if (paths.has(unitPath(name))) return []
  const dropins = members(unit['dropins'])
  const kept = dropins.filter((dropin) => !paths.has(dropinPath(name, String(dropin['name']))))
  return kept.length === dropins.length ? [unit] : [{ ...unit, dropins: kept }]
}

type Members = Record<string, unknown>

const members = (list: unknown): Members[] => (Array.isArray(list) ? list.filter(isObject) : [])
