/**
 * Runs a task in a later turn of the event loop, after everything that is ready now has been read from its sockets: so the
 * writes of many clients that arrive together meet in one commit. Unlike a timer, it costs no millisecond and keeps the
 * process alive until the task has run.
 */
export class NextTurn {
  readonly #channel = new MessageChannel()
  readonly #task: () => void
  #waiting = false

  constructor(task: () => void) {
    this.#task = task
    this.#channel.port1.on('message', () => this.#run())
    this.#channel.port1.unref()
  }

  /** Asking again before the task has run changes nothing. */
  ask(): void {
    if (this.#waiting) return
    this.#waiting = true
    this.#channel.port1.ref()
    this.#channel.port2.postMessage(null)
  }

  close(): void {
    this.#channel.port1.close()
  }

  #run(): void {
    this.#waiting = false
    this.#channel.port1.unref()
    this.#task()
  }
}
