import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The shell on the machine's second serial line. */
export class SerialShell {
  readonly #path: string
  #socket: Socket | undefined
  #heard = ''
  #count = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Whether the shell answers; call it repeatedly. */
  answers(): boolean {
    this.#socket ??= this.#connected()
    // The echo of this command must not look like the answer.
    if (!this.#heard.includes('I am here')) this.#socket.write(`echo I am he''re\n`)
    return this.#heard.includes('I am here')
  }

  /** Runs a command of one line. Returns its output. */
  run(command: string): Promise<string> {
    return this.#ask(command, 120_000)
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #connected(): Socket {
    this.#heard = ''
    const socket = connect(this.#path)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => (this.#heard += text))
    // The machine is not up yet, or is down: retry.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
    })
    return socket
  }

  /** Encodes the output, so that it cannot look like the end marker. */
  async #ask(command: string, limitMs: number): Promise<string> {
    const number = ++this.#count
    const end = new RegExp(`([A-Za-z0-9+/=]*):${number}:(\\d+)\\.`)
    const output = '/run/test-output'
    this.#socket?.write(
      `(${command}) >${output} 2>&1; code=$?; echo "$(base64 -w0 ${output}):${number}:$code."\n`,
    )
    const deadline = performance.now() + limitMs
    for (;;) {
      const [, coded, code] = end.exec(this.#heard) ?? []
      if (coded !== undefined) {
        const text = Buffer.from(coded, 'base64').toString()
        if (code !== '0') throw new Error(`${command} ended with ${code}: ${text}`)
        return text
      }
      if (performance.now() > deadline) throw new Error(`${command}: the machine does not answer`)
      await pause(20)
    }
  }
}
