import { InvalidInput } from '@machinist/core/errors'

/** The data directory is unusable; the message has the reason and a remedy. Nothing in it was changed. */
export class UnusableStore extends InvalidInput {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStore'
  }
}
