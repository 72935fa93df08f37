/** Why something on the machine did not work. */
export class HostFailure extends Error {
  override readonly name = 'HostFailure'
  /** `ENOSPC`, `EACCES`, `exit 1`, `timeout`: for programs. */
  readonly code: string

  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
