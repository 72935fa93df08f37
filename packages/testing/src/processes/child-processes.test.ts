import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { ChildProcesses, end } from './child-processes.ts'

const scratch = (): Promise<string> => mkdtemp(join(tmpdir(), 'machinist-children-'))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('child processes', () => {
  it('exit at a stop, and the directory is removed', async () => {
    const directory = await scratch()
    const children = new ChildProcesses(directory)
    const child = children.start('sleeper', 'sleep', ['600'])
    const gone = once(child, 'exit')
    await children.stop()
    expect((await gone)[1]).toBe('SIGKILL')
    expect(existsSync(directory)).toBe(false)
  })

  it('have a log of their output, even if they exit early', async () => {
    const children = new ChildProcesses(await scratch())
    const child = children.start('talker', 'sh', ['-c', 'echo one; echo two >&2; exit 4'])
    await once(child, 'exit')
    expect(child.exitCode).toBe(4)
    expect(children.logTail('talker')).toBe('one\ntwo')
    expect(children.logTail('talker', 1)).toBe('two')
    await children.stop()
  })

  it('can be stopped individually', async () => {
    const children = new ChildProcesses(await scratch())
    const child = children.start('sleeper', 'sleep', ['600'])
    await end(child, 'SIGTERM')
    expect(child.signalCode).toBe('SIGTERM')
    await end(child, 'SIGTERM')
    await children.stop()
  })

  it('do not outlive a killed parent', async () => {
    const directory = await scratch()
    const module = join(import.meta.dirname, 'child-processes.ts')
    const program = `
      import { ChildProcesses } from ${JSON.stringify(module)}
      const child = new ChildProcesses(${JSON.stringify(directory)}).start('s', 'sleep', ['600'])
      process.stdout.write(String(child.pid))`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', program])
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
    expect(isAlive(Number(String(pid)))).toBe(true)
    parent.kill('SIGKILL')
    await until('the child is gone', () => !isAlive(Number(String(pid))))
    await until('the directory is gone', () => !existsSync(directory))
  })
})
