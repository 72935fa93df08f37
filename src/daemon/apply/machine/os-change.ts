import type { PlanStep } from '../../../planner/model/update-plan.ts'
import type { HostOs, OsDeployment } from '../../host/host.ts'
import { sameDeployment } from '../../host/same-deployment.ts'

export type ChangeOsStep = Extract<PlanStep, { do: 'change-os' }>

/** Applies a step to a deployment. Fields that the step does not set stay. */
export function applyOsStep(before: OsDeployment, step: ChangeOsStep): OsDeployment {
  const { image, kernelType, extensions, kernelArguments } = step
  return {
    ...before,
    ...(image && { image: image.to }),
    ...(kernelType && { kernelType: kernelType.to }),
    ...(extensions && { extensions: [...extensions.to].sort() }),
    ...(kernelArguments && {
      kernelArguments: [
        ...withoutWords(before.kernelArguments, kernelArguments.remove),
        ...kernelArguments.add,
      ],
    }),
  }
}

/** Skips a deployment that is staged already: staging takes minutes on a real machine. */
export async function stageIfNeeded(os: HostOs, desired: OsDeployment): Promise<void> {
  const { booted, staged } = await os.state()
  if (!sameDeployment(staged ?? booted, desired)) await os.stage(desired)
}

/** Removes each word once. A word that is missing is ignored. */
function withoutWords(words: readonly string[], removed: readonly string[]): string[] {
  const left = [...words]
  for (const word of removed) {
    const at = left.indexOf(word)
    if (at !== -1) left.splice(at, 1)
  }
  return left
}
