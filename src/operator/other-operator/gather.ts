import { names } from '../../api/names.ts'
import type { OtherOperatorFacts } from './facts.ts'
import type { OtherOperatorCaches } from './inputs.ts'

/** Undefined if the key is not the name of the ControllerConfig of the cluster. */
export function gather(
  key: string,
  { controllerConfigs }: OtherOperatorCaches,
): OtherOperatorFacts | undefined {
  if (key !== names.controllerConfig) return undefined
  return { controllerConfig: controllerConfigs.get(key) }
}
