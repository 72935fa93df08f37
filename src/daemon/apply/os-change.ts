import type { Step } from '../../planner/update-plan.ts'
import type { HostOs, OsDeployment } from '../host/host.ts'
import { sameDeployment } from '../host/same-deployment.ts'

export type ChangeOsStep = Extract<Step, { do: 'change-os' }>

/** What a step makes of a deployment. What it does not speak of stays. */
export function afterChange(before: OsDeployment, step: ChangeOsStep): OsDeployment {
  const { image, kernelType, extensions, kernelArguments } = step
  return {
    ...before,
    ...(image && { image: image.to }),
    ...(kernelType && { kernelType: kernelType.to }),
    ...(extensions && { extensions: [...extensions.to].sort() }),
    ...(kernelArguments && {
      kernelArguments: [
        ...without(before.kernelArguments, kernelArguments.remove),
        ...kernelArguments.add,
      ],
    }),
  }
}

/** Staging takes minutes on a real machine, so not twice. */
export async function stageOnce(os: HostOs, wanted: OsDeployment): Promise<void> {
  const { booted, staged } = await os.state()
  if (!sameDeployment(staged ?? booted, wanted)) await os.stage(wanted)
}

/** Each word goes once, wherever it is; one that is not there is no reason to fail. */
function without(words: readonly string[], removed: readonly string[]): string[] {
  const left = [...words]
  for (const word of removed) {
    const at = left.indexOf(word)
    if (at !== -1) left.splice(at, 1)
  }
  return left
}
