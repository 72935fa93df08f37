import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { until } from '@machinist/testing/until'
import { failureOf } from '../failure.fixture.ts'
import type { Command } from './runner.ts'
import { formatCommand, runOrThrow } from './runner.ts'
import { chrootInto, SystemRunner } from './system-runner.ts'

const runner = new SystemRunner({ clock: systemClock })
const sh = (script: string, more: Partial<Command> = {}): Command => ({
  program: 'sh',
  args: ['-c', script],
  ...more,
})

describe('running a program', () => {
  it('returns its output, exit code and last line of standard error', async () => {
    const ended = await runner.run(sh('echo out; echo one >&2; echo two >&2; echo >&2; exit 3'))
    expect(ended).toEqual({ code: 3, output: 'out\n', errorLine: 'two' })
  })

  it('passes arguments unchanged', async () => {
    const args = ['%s|', 'a b', '$HOME', '*', '"', '']
    expect(await runOrThrow(runner, { program: 'printf', args })).toBe('a b|$HOME|*|"||')
  })

  it('passes input, also to a program that does not read it', async () => {
    expect(await runOrThrow(runner, sh('cat', { input: 'secret' }))).toBe('secret')
    const much = 'x'.repeat(1_000_000)
    expect(await runner.run(sh('exit 0', { input: much }))).toMatchObject({ code: 0 })
  })

  it('sets a minimal environment with an English locale', async () => {
    const mine = new SystemRunner({ clock: systemClock, environment: { HTTPS_PROXY: 'p' } })
    const text = await runOrThrow(mine, { program: 'env', args: [] })
    const names = text
      .trim()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf('=')))
    expect(names.sort()).toEqual([
      'HOME',
      'HTTPS_PROXY',
      'LANG',
      'LANGUAGE',
      'LC_ALL',
      'NO_COLOR',
      'PATH',
      'RPMOSTREE_CLIENT_ID',
      'SYSTEMD_COLORS',
      'SYSTEMD_IGNORE_CHROOT',
      'SYSTEMD_PAGER',
      'SYSTEMD_URLIFY',
    ])
  })

  it('fails if it is not installed, was killed, or writes too much', async () => {
    await expect(runner.run({ program: 'no-such-program', args: [] })).rejects.toMatchObject({
      code: 'ENOENT',
      message: 'no-such-program is not installed',
    })
    await expect(runner.run(sh('kill -9 $$'))).rejects.toMatchObject({
      code: 'SIGKILL',
      message: 'sh -c "kill -9 $$" was ended by SIGKILL',
    })
    await expect(runner.run(sh('yes'))).rejects.toMatchObject({
      code: 'EFBIG',
      message: 'sh -c yes wrote more than 16777216 bytes and was ended',
    })
  })

  it('keeps only the end of a long standard error', async () => {
    const { errorLine } = await runner.run(sh('yes errorLine | head -n 100000 >&2; echo last >&2'))
    expect(errorLine).toBe('last')
  })

  it('ends it when the signal aborts, also before the start', async () => {
    const stop = new AbortController()
    const running = failureOf(runner.run(sh('sleep 1000', { signal: stop.signal })))
    stop.abort()
    const ended = {
      code: 'aborted',
      message: 'sh -c "sleep 1000" was canceled',
    }
    expect(await running).toMatchObject(ended)
    const late = failureOf(runner.run(sh('sleep 1000', { signal: stop.signal })))
    expect(await late).toMatchObject(ended)
  })

  it('ends it and its children at the time limit', async () => {
    const clock = new VirtualClock()
    const slow = new SystemRunner({ clock })
    const pids: string[] = []
    const command = sh('sleep 1000 & echo $! > "$0"; wait', { limitMs: 90_000 })
    const file = join(tmpdir(), `machinist-runner-${process.pid}`)
    const running = slow.run({ ...command, args: [...command.args, file] })
    const failed = failureOf(running)
    await until('the child runs', async () => {
      const text = (await runner.run({ program: 'cat', args: [file] })).output.trim()
      if (text !== '') pids.push(text)
      return text !== ''
    })
    await clock.advance(90_000)
    expect(await failed).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/took longer than 90 s and was ended$/),
    })
    await runner.run({ program: 'rm', args: [file] })
    // The process is dead, though its parent may not have reaped it yet.
    const dead = async (): Promise<boolean> => {
      const args = ['-h', 'State', `/proc/${pids[0]}/status`]
      const { code, output } = await runner.run({ program: 'grep', args })
      return code !== 0 || output.includes('zombie')
    }
    await until('the child has ended', dead)
    expect(await dead()).toBe(true)
  })

  it('kills a program that ignores SIGTERM', async () => {
    const clock = new VirtualClock()
    const file = join(tmpdir(), `machinist-stubborn-${process.pid}`)
    const command = sh('trap "" TERM; touch "$0"; while true; do sleep 0.1; done', {
      limitMs: 1000,
    })
    const running = new SystemRunner({ clock }).run({ ...command, args: [...command.args, file] })
    const failed = failureOf(running)
    await until(
      'the program runs',
      async () => (await runner.run({ program: 'test', args: ['-e', file] })).code === 0,
    )
    await clock.advance(1000)
    await clock.advance(5000)
    expect(await failed).toMatchObject({ code: 'timeout' })
    await runner.run({ program: 'rm', args: [file] })
  })

  it('reports a program that the root does not contain', async () => {
    expect(chrootInto('/')).toEqual([])
    expect(chrootInto('/rootfs')).toEqual(['chroot', '/rootfs'])
    const inside = new SystemRunner({ clock: systemClock, enter: chrootInto('/nowhere/at/all') })
    await expect(inside.run({ program: 'true', args: [] })).rejects.toMatchObject({
      code: 'EPERM',
      message: expect.stringMatching(/^true cannot be started: chroot: /),
    })
  })
})

it('formats commands so that a user can run them', () => {
  expect(formatCommand({ program: 'systemctl', args: ['restart', 'a@b\\x2d.service'] })).toBe(
    'systemctl restart a@b\\x2d.service',
  )
  expect(formatCommand({ program: 'x', args: ['a b', ''], input: 'secret' })).toBe('x "a b" ""')
  expect(formatCommand({ program: 'x', args: ['y'.repeat(500)] })).toHaveLength(201)
})
