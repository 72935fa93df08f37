import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { TrustFields } from './fields.ts'
import { fieldsOf } from './fields.ts'

/**
 * What was good last. The ControllerConfig holds it; when somebody deletes that, it is remembered until we have written
 * to the next one, whoever makes it.
 */
export class LastGood {
  #known: TrustFields | undefined

  with(controllerConfig: Readonly<ControllerConfig> | undefined): TrustFields {
    const { trustDigests } = ownControllerConfigAnnotations
    const isOurs = controllerConfig?.metadata.annotations?.[trustDigests] !== undefined
    if (controllerConfig && (isOurs || !this.#known)) {
      this.#known = fieldsOf(controllerConfig.spec)
    }
    return this.#known ?? fieldsOf(emptySpec)
  }
}
