import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { runningArguments } from '../../planner/kernel-arguments.ts'
import { plan } from '../../planner/plan.ts'
import type { NodeFacts } from '../../planner/update-plan.ts'
import type { Update } from '../apply/update.ts'
import type { OsDeployment } from '../host/host.ts'
import type { Situation } from './situation.ts'
import { emptyConfig, text } from './situation.ts'

/** The update from what the machine is in to what it shall be in. */
export function updateTo(situation: Situation, config: MachineConfig): Update {
  const { facts, current, currentImage, desiredImage } = situation
  const desired = layered(config, desiredImage)
  const { rules, overrides, registryDrainOverride } = facts.rules
  const before = current && layered(current, currentImage)
  return {
    plan: plan({
      current: before,
      desired,
      rules,
      facts: plannersFacts(situation),
      isLayered: desiredImage !== undefined,
      ...(facts.delivery && { delivery: facts.delivery }),
      ...(overrides && { overrides }),
      ...(registryDrainOverride && { registryDrainOverride }),
    }),
    current: before ?? emptyConfig,
    desired,
    ...(desiredImage !== undefined && { desiredImage }),
  }
}

/** The update that only brings the OS of a machine to what its config says: a new machine's image may be an older one. */
export function pivotTo(situation: Situation, config: MachineConfig): Update {
  const { facts, currentImage } = situation
  const { image, kernelArguments } = facts.machine.booted
  const desired = layered(config, currentImage)
  const booted: MachineConfig = {
    ...desired,
    spec: {
      ...desired.spec,
      osImageURL: image ?? '',
      kernelArguments: runningArguments(kernelArguments, desired.spec?.kernelArguments ?? []),
    },
  }
  const made = plan({
    current: booted,
    desired,
    rules: facts.rules.rules,
    // Nothing runs here yet that would have to leave.
    facts: { ...plannersFacts(situation), forced: false, drains: false },
    // The image may bring what the driver cannot; what is still missing then is reported when the machine is in its config.
    osLimits: 'note',
  })
  return {
    plan: made,
    current: desired,
    desired,
    ...(currentImage !== undefined && { desiredImage: currentImage }),
  }
}

/** A config with the image that was built for it, where there is one. */
export function layered(config: MachineConfig, image: string | undefined): MachineConfig {
  return image === undefined ? config : { ...config, spec: { ...config.spec, osImageURL: image } }
}

export function plannersFacts({ facts, node }: Situation): NodeFacts {
  const { booted, ...machine } = facts.machine
  return {
    ...machine,
    ...bootedFacts(booted),
    forced: facts.disk.forced,
    drains: text(node, nodeAnnotations.controlPlaneTopology) !== 'SingleReplica',
  }
}

/** Of what runs, the part that plans go by. */
export const bootedFacts = ({
  image,
  kernelArguments,
}: OsDeployment): Pick<NodeFacts, 'bootedImage' | 'bootedKernelArguments'> => ({
  ...(image !== undefined && { bootedImage: image }),
  bootedKernelArguments: kernelArguments,
})
