import { annotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { isGenerated } from '../generated/machine-config.ts'
import type { ImageConfigFacts } from './facts.ts'
import { isCurrentName, machineConfigName } from './names.ts'

/**
 * MachineConfigs that this controller no longer generates (there is no Image, or the pool is not built-in), stamped with this
 * build and with their spec: pools that select them would wait for this build forever.
 */
export function stampedLeftovers({
  image,
  controllerConfig,
  bases,
  stored,
  maker,
}: ImageConfigFacts): MachineConfig[] {
  const version = controllerConfig?.metadata.annotations?.[annotations.generatedByVersion]
  // While another version is the operator, its controller owns them.
  if (version !== maker.version) return []
  const pools = image ? [...bases.keys()] : []
  const generated = new Set(pools.map(({ metadata }) => machineConfigName(metadata.name)))
  const isLeftover = (one: Readonly<MachineConfig>): boolean => {
    const { name, annotations: existing } = one.metadata
    return (
      isCurrentName(name) &&
      isGenerated(one) &&
      !generated.has(name) &&
      existing?.[annotations.generatedByController] !== maker.build
    )
  }
  return [...stored.values()].filter(isLeftover).map((one) => stamped(one, maker))
}

const stamped = (one: Readonly<MachineConfig>, { build }: Maker): MachineConfig => ({
  ...one,
  metadata: {
    ...one.metadata,
    annotations: { ...one.metadata.annotations, [annotations.generatedByController]: build },
  },
})
