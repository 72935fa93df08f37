import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { TrustFields } from './facts/fields.ts'
import { fieldsOf } from './facts/fields.ts'

/**
 * The last valid values. The ControllerConfig contains them; if a user deletes it, they are kept in memory until the operator
 * has written the next one.
 */
export class LastGood {
  #known: TrustFields | undefined

  with(controllerConfig: Readonly<ControllerConfig> | undefined): TrustFields {
    const { trustDigests } = ownControllerConfigAnnotations
    const isOurs = controllerConfig?.metadata.annotations?.[trustDigests] !== undefined
    if (controllerConfig && (isOurs || !this.#known)) {
      this.#known = fieldsOf(controllerConfig.spec)
    }
    return this.#known ?? fieldsOf(emptyControllerConfigSpec)
  }
}
