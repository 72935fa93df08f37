/** A failed operation on the machine. */
export class HostFailure extends Error {
  override readonly name = 'HostFailure'
  /** Machine-readable: `ENOSPC`, `EACCES`, `exit 1`, `timeout`. */
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
