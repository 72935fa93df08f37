import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { VolatileDisk } from './volatile-disk.ts'

/**
 * Serves a disk to qemu by the protocol of network block devices (NBD, fixed newstyle handshake, simple replies), on a socket
 * of this machine.
 */
export async function serveDisk(disk: VolatileDisk, path: string): Promise<Server> {
  const server = createServer((socket) => {
    // A machine that is switched off does not close the connection properly.
    serve(disk, socket).catch(() => socket.destroy())
    socket.on('error', () => {})
  })
  server.listen(path)
  await once(server, 'listening')
  return server
}

const optionMagic = Buffer.from('IHAVEOPT')
const optionReplyMagic = 0x0003e889045565a9n
const requestMagic = 0x25609513
const replyMagic = 0x67446698

const fixedNewstyle = 1
const hasFlags = 1
const canFlush = 4

const exportName = 1
const goOption = 7
const acknowledged = 1
const information = 3
const unsupported = 0x80000001

const commands = { read: 0, write: 1, disconnect: 2, flush: 3 } as const
const invalid = 22

async function serve(disk: VolatileDisk, socket: Socket): Promise<void> {
  const input = new Input(socket)
  await shakeHands(disk, socket, input)
  // One after another: a flush covers all requests that were answered before.
  for (;;) {
    const next = await answerRequest(disk, socket, input)
    if (next === 'goodbye') socket.end()
    if (next !== 'more') return
  }
}

async function shakeHands(disk: VolatileDisk, socket: Socket, input: Input): Promise<void> {
  socket.write(Buffer.concat([Buffer.from('NBDMAGIC'), optionMagic, u16(fixedNewstyle)]))
  await input.take(4)
  for (;;) {
    const head = await input.take(16)
    const option = head.readUInt32BE(8)
    await input.take(head.readUInt32BE(12))
    const about = Buffer.concat([u64(BigInt(disk.size)), u16(hasFlags | canFlush)])
    if (option === exportName) {
      socket.write(Buffer.concat([about, Buffer.alloc(124)]))
      return
    }
    if (option === goOption) {
      socket.write(optionReply(option, information, Buffer.concat([u16(0), about])))
      socket.write(optionReply(option, acknowledged))
      return
    }
    socket.write(optionReply(option, unsupported))
  }
}

function optionReply(option: number, type: number, content = Buffer.alloc(0)): Buffer {
  return Buffer.concat([
    u64(optionReplyMagic),
    u32(option),
    u32(type),
    u32(content.length),
    content,
  ])
}

/** Without power there is no answer, not even an error. */
type Next = 'more' | 'goodbye' | 'no power'

async function answerRequest(disk: VolatileDisk, socket: Socket, input: Input): Promise<Next> {
  const head = await input.take(28)
  if (head.readUInt32BE(0) !== requestMagic) throw new Error('invalid request')
  const command = head.readUInt16BE(6)
  const handle = head.subarray(8, 16)
  const offset = Number(head.readBigUInt64BE(16))
  const length = head.readUInt32BE(24)
  const reply = (error: number): Buffer => Buffer.concat([u32(replyMagic), u32(error), handle])
  switch (command) {
    case commands.read:
      socket.write(Buffer.concat([reply(0), await disk.read(offset, length)]))
      return 'more'
    case commands.write:
      await disk.write(offset, await input.take(length))
      socket.write(reply(0))
      return 'more'
    case commands.flush:
      if (!(await disk.flush())) return 'no power'
      socket.write(reply(0))
      return 'more'
    case commands.disconnect:
      return 'goodbye'
    default:
      socket.write(reply(invalid))
      return 'more'
  }
}

/** Reads the input in chunks of a requested size. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async take(length: number): Promise<Buffer> {
    const pieces = [this.#rest]
    for (let there = this.#rest.length; there < length;) {
      const { done, value } = await this.#chunks.next()
      if (done) throw new Error('the connection is closed')
      pieces.push(value)
      there += value.length
    }
    const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    this.#rest = all.subarray(length)
    return all.subarray(0, length)
  }
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
