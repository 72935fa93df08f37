import type { Clock } from './clock.ts'
import { isProgrammingError, messageOf } from './errors.ts'

export type LogFields = Readonly<Record<string, unknown>>
export type LogLevel = 'debug' | 'info' | 'error'

/** Messages are constant and lower case; variable data goes into fields. There is no level "warn". */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  error(message: string, error: unknown, fields?: LogFields): void
  /** Returns a logger that adds these fields to every line. */
  with(fields: LogFields): Logger
}

export interface LogOptions {
  readonly clock: Clock
  readonly write: (line: string) => void
  readonly level?: LogLevel
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, error: 2 }

/** A logger that writes one JSON object per line. */
export function createLogger(options: LogOptions, bound: LogFields = {}): Logger {
  const least = rank[options.level ?? 'info']
  const emit = (level: LogLevel, message: string, fields?: LogFields): void => {
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

function stackOf(error: unknown): LogFields {
  return isProgrammingError(error) ? { stack: error.stack } : {}
}

/** Never throws: a line whose fields cannot be serialized is written without them. */
function safeJson(line: LogFields): string {
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
