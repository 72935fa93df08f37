import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { nodePaths } from '../../../api/node-paths.ts'
import { openSandbox } from '../../../daemon/host/sandbox/sandbox.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { runFirstBoot, waitForShutdown } from './run-first-boot.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-first-boot-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function ran(config: string, stopped: Promise<void> = new Promise(() => {})) {
  const root = mkdtempSync(join(directory, 'root-'))
  const { files } = await openSandbox({ root, clock: systemClock, plainLinks: true })
  const content = Buffer.from(config)
  await files.write(nodePaths.encapsulated, { content, mode: 0o644, uid: 0, gid: 0 })
  const printed: string[] = []
  const terminal: Terminal = {
    out: (text) => void printed.push(text),
    error: () => {},
    read: async () => Buffer.from(''),
    stopped: () => stopped,
  }
  await runFirstBoot({ host: 'sandbox', root }, terminal).catch((error: Error) => {
    printed.push(error.message)
  })
  return printed
}

const config = (spec: object): string =>
  JSON.stringify({ metadata: { name: 'rendered-worker-1' }, spec })

describe('the first-boot command', () => {
  it('succeeds if there is nothing to do, and if the machine must reboot', async () => {
    expect(await ran(config({}))).toEqual(['first boot: nothing to do\n'])
    expect(await ran(config({ kernelArguments: ['nosmt'] }))).toEqual(['first boot: rebooting\n'])
  })

  it('fails if it is stopped, so that the machine does not join', async () => {
    expect(await ran('not a config', Promise.resolve())).toEqual([
      'first boot: stopped\n',
      'stopped before the first boot was complete',
    ])
  })

  it('waits until the machine goes down, and fails if it does not', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const down = waitForShutdown(clock, stop.signal)
    await clock.advance(599_000)
    stop.abort()
    await down
    const stuck = waitForShutdown(clock, new AbortController().signal).catch(messageOf)
    await clock.advance(600_000)
    expect(await stuck).toBe('the machine did not reboot within 10 minutes')
  })
})
