import { InvalidInput } from '@machinist/core/errors'

/** The data directory cannot be used as it is; the message says why and what to do. Nothing in it was changed. */
export class UnusableStore extends InvalidInput {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStore'
  }
}
