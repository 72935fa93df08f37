import type { Clock } from './clock.ts'
import { isOwnMistake, messageOf } from './errors.ts'

export type Fields = Readonly<Record<string, unknown>>
export type Level = 'debug' | 'info' | 'error'

/** Messages are constant, lower case and searchable; what varies goes into fields. There is no "warn": act or inform. */
export interface Logger {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  error(message: string, error: unknown, fields?: Fields): void
  /** A logger that adds these fields to every line. */
  with(fields: Fields): Logger
}

export interface LogOptions {
  readonly clock: Clock
  readonly write: (line: string) => void
  readonly level?: Level
}

const rank: Record<Level, number> = { debug: 0, info: 1, error: 2 }

/** One JSON object per line: what every log collector reads. */
export function createLogger(options: LogOptions, bound: Fields = {}): Logger {
  const least = rank[options.level ?? 'info']
  const emit = (level: Level, message: string, fields?: Fields): void => {
    if (rank[level] < least) return
    const time = new Date(options.clock.now()).toISOString()
    options.write(`${safeJson({ time, level, msg: message, ...bound, ...fields })}\n`)
  }
  return {
    debug: (message, fields) => emit('debug', message, fields),
    info: (message, fields) => emit('info', message, fields),
    error: (message, error, fields) =>
      emit('error', message, { ...fields, error: messageOf(error), ...stackOf(error) }),
    with: (fields) => createLogger(options, { ...bound, ...fields }),
  }
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  error() {},
  with: () => silentLogger,
}

function stackOf(error: unknown): Fields {
  return isOwnMistake(error) ? { stack: error.stack } : {}
}

/** A log line must never be lost because a field could not be written. */
function safeJson(line: Fields): string {
  try {
    return JSON.stringify(line, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
  } catch (error) {
    return JSON.stringify({
      time: line['time'],
      level: line['level'],
      msg: line['msg'],
      unwritable: messageOf(error),
    })
  }
}
