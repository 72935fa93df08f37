/**
 * Runs a task in a later turn of the event loop, after pending socket reads, so that concurrent writes share a
 * commit. Unlike a timer, it adds no millisecond and keeps the process alive.
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

  /** Has no effect if a run is pending. */
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
