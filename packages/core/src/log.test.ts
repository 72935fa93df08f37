import { describe, expect, it } from 'vitest'
import { InvalidInput } from './errors.ts'
import { createLogger } from './log.ts'
import type { LogLevel, Logger } from './log.ts'
import { VirtualClock } from './virtual-clock.ts'

function recorded(level?: LogLevel): { log: Logger; lines: string[] } {
  const lines: string[] = []
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05.678Z'))
  return { lines, log: createLogger({ clock, write: (line) => lines.push(line), level }) }
}

describe('a logger', () => {
  it('writes one JSON object per line', () => {
    const { log, lines } = recorded()
    log.info('pool is updating', { pool: 'worker', text: 'two\nlines' })
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.678Z","level":"info","msg":"pool is updating","pool":"worker","text":"two\\nlines"}\n',
    ])
  })

  it('adds bound fields; the innermost value wins', () => {
    const { log, lines } = recorded()
    log.with({ controller: 'render', key: 'a' }).with({ key: 'b' }).info('hello', { n: 1 })
    expect(JSON.parse(lines[0]!)).toMatchObject({ controller: 'render', key: 'b', n: 1 })
  })

  it('omits lines below its level', () => {
    const { log, lines } = recorded()
    log.debug('noise')
    expect(lines).toEqual([])
    const verbose = recorded('debug')
    verbose.log.debug('noise')
    expect(verbose.lines).toHaveLength(1)
  })

  it('logs a stack trace for programming errors only', () => {
    const { log, lines } = recorded()
    log.error('failed', new InvalidInput('bad file'))
    log.error('failed', new TypeError('x is undefined'))
    const [expected, mistake] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(expected).toMatchObject({ level: 'error', msg: 'failed', error: 'bad file' })
    expect(expected).not.toHaveProperty('stack')
    expect(mistake!['stack']).toContain('log.test.ts')
  })

  it('writes a line although a field cannot be serialized', () => {
    const { log, lines } = recorded()
    const ring: Record<string, unknown> = {}
    ring['self'] = ring
    log.info('ring', ring)
    log.info('big', { n: 10n })
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'ring' })
    expect(JSON.parse(lines[1]!)).toMatchObject({ msg: 'big', n: '10' })
  })
})
