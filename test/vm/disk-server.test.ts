import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { until } from '@machinist/testing/until'
import { serveDisk } from './disk-server.ts'
import { VolatileDisk } from './volatile-disk.ts'

let directory: string
let disk: VolatileDisk
let server: Server
let socket: Socket
let heard = ''
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'machinist-disk-'))
  writeFileSync(join(directory, 'plates'), Buffer.alloc(8192, 'a'))
  disk = await VolatileDisk.open(join(directory, 'plates'))
  server = await serveDisk(disk, join(directory, 'socket'))
  heard = ''
  socket = connect(join(directory, 'socket'))
  socket.on('data', (chunk) => (heard += chunk.toString('hex')))
})
afterEach(async () => {
  socket.destroy()
  server.close()
  await disk.close()
  rmSync(directory, { recursive: true })
})

const hexOf = (text: string): string => Buffer.from(text).toString('hex')

/** Sends bytes, and expects this answer. */
async function expectAnswer(bytes: string, answer: string): Promise<void> {
  heard = ''
  socket.write(Buffer.from(bytes, 'hex'))
  await until('the answer is complete', () => heard.length >= answer.length)
  expect(heard).toBe(answer)
}

/** As in the documentation of the protocol; qemu requests structured replies first. */
async function shakeHands(): Promise<void> {
  const option = hexOf('IHAVEOPT')
  await until('it greets', () => heard.length >= 36)
  expect(heard).toBe(`${hexOf('NBDMAGIC')}${option}0001`)
  const reply = '0003e889045565a9'
  await expectAnswer(`00000001${option}0000000800000000`, `${reply}000000088000000100000000`)
  await expectAnswer(
    `${option}0000000700000006000000000000`,
    `${reply}00000007000000030000000c` +
      '0000' +
      '0000000000002000' +
      '0005' +
      `${reply}000000070000000100000000`,
  )
}

const handle = '0102030405060708'
const fine = `6744669800000000${handle}`
const request = (command: string, offset: string, length: string): string =>
  `256095130000${command}${handle}${offset}${length}`

describe('a disk for qemu', () => {
  it('is read, written and flushed', async () => {
    await shakeHands()
    const sector = '62'.repeat(4096)
    await expectAnswer(`${request('0001', '0000000000001000', '00001000')}${sector}`, fine)
    await expectAnswer(request('0000', '0000000000000ffe', '00000004'), `${fine}61616262`)
    expect(readFileSync(join(directory, 'plates'), 'latin1')).toBe('a'.repeat(8192))
    await expectAnswer(request('0003', '0000000000000000', '00000000'), fine)
    expect(readFileSync(join(directory, 'plates'), 'latin1').slice(4094, 4098)).toBe('aabb')
    await expectAnswer(request('0009', '0000000000000000', '00000000'), `6744669800000016${handle}`)
    const ended = once(socket, 'end')
    socket.write(Buffer.from(request('0002', '0000000000000000', '00000000'), 'hex'))
    await ended
  })

  it('does not answer after a power cut', async () => {
    await shakeHands()
    const cut = disk.cutAtFlush(1, seededRandom(1))
    heard = ''
    socket.write(Buffer.from(request('0003', '0000000000000000', '00000000'), 'hex'))
    await cut
    expect(heard).toBe('')
  })
})
