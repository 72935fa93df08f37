import { nodeAnnotations } from '../../../api/annotations.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { runningArguments } from '../../../planner/differences/kernel-arguments.ts'
import { plan } from '../../../planner/plan.ts'
import type { NodeFacts } from '../../../planner/model/update-plan.ts'
import type { Update } from '../../apply/update.ts'
import type { OsDeployment } from '../../host/host.ts'
import type { NodeSituation } from '../facts/situation.ts'
import { annotationOf } from '../../node/node-view.ts'
import { emptyConfig } from '../facts/situation.ts'

/** Plans the update from the current to the desired config. */
export function planUpdate(situation: NodeSituation, config: MachineConfig): Update {
  const { facts, current, currentImage, desiredImage } = situation
  const desired = withImage(config, desiredImage)
  const { rules, overrides, registryDrainOverride } = facts.rules
  const before = current && withImage(current, currentImage)
  return {
    plan: plan({
      current: before,
      desired,
      rules,
      facts: planFacts(situation),
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

/** Plans an update of the OS alone: a new machine may boot an older image than its config specifies. */
export function planOsUpdate(situation: NodeSituation, config: MachineConfig): Update {
  const { facts, currentImage } = situation
  const { image, kernelArguments } = facts.machine.booted
  const desired = withImage(config, currentImage)
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
    // A new machine runs no pods yet, so it needs no drain.
    facts: { ...planFacts(situation), forced: false, drains: false },
    // The new image may support what the current OS does not. Unsupported settings are reported once the machine is in its config.
    osLimits: 'note',
  })
  return {
    plan: made,
    current: desired,
    desired,
    ...(currentImage !== undefined && { desiredImage: currentImage }),
  }
}

/** The config with the image that was built for it, if there is one. */
export function withImage(config: MachineConfig, image: string | undefined): MachineConfig {
  return image === undefined ? config : { ...config, spec: { ...config.spec, osImageURL: image } }
}

export function planFacts({ facts, node }: NodeSituation): NodeFacts {
  const { booted, ...machine } = facts.machine
  return {
    ...machine,
    ...bootedFacts(booted),
    forced: facts.disk.forced,
    drains: annotationOf(node, nodeAnnotations.controlPlaneTopology) !== 'SingleReplica',
  }
}

/** The part of the booted deployment that plans read. */
export const bootedFacts = ({
  image,
  kernelArguments,
}: OsDeployment): Pick<NodeFacts, 'bootedImage' | 'bootedKernelArguments'> => ({
  ...(image !== undefined && { bootedImage: image }),
  bootedKernelArguments: kernelArguments,
})
