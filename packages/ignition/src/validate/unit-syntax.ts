import { UnitWindow } from './unit-window.ts'

/** The result of parsing a unit. */
export interface UnitSyntax {
  /** Why the unit is invalid. */
  readonly problem?: string
  /** Whether the unit has options in an [Install] section, so that it can be enabled. */
  readonly installs: boolean
}

/** Parses a unit with the result of the library that Ignition uses. */
export function readUnitSyntax(contents: string): UnitSyntax {
  const reader = new UnitReader(contents)
  const problem = reader.read()
  return problem === undefined
    ? { installs: reader.installs }
    : { problem, installs: reader.installs }
}

type State =
  | 'before sections'
  | 'section name'
  | 'after section name'
  | 'in section'
  | 'option name'
  | 'option value'
  | 'comment'
  | 'end'

interface Problem {
  readonly problem: string
}

class UnitReader {
  installs = false
  readonly #window: UnitWindow
  #section: string | undefined

  constructor(contents: string) {
    this.#window = new UnitWindow(contents)
  }

  /** The problem, or undefined. */
  read(): string | undefined {
    let state: State = 'before sections'
    while (state !== 'end') {
      if (this.#window.hasLongLine()) return 'a line has 2048 bytes or more'
      const next = this.#step(state)
      if (typeof next === 'object') return next.problem
      state = next
    }
    return undefined
  }

  #step(state: Exclude<State, 'end'>): State | Problem {
    switch (state) {
      case 'before sections':
        return this.#beforeSections()
      case 'section name':
        return this.#sectionName()
      case 'after section name':
        return isBlank(this.#window.line())
          ? 'in section'
          : { problem: 'unexpected text after the "]" of a section' }
      case 'in section':
        return this.#inSection()
      case 'option name':
        return this.#optionName()
      case 'option value':
        return this.#optionValue()
      case 'comment':
        return this.#comment()
    }
  }

  /** Text before the first section is ignored. */
  #beforeSections(): State {
    const char = this.#window.next()
    if (char === undefined) return 'end'
    if (char === '[') return 'section name'
    return isCommentSign(char) ? 'comment' : 'before sections'
  }

  #inSection(): State {
    const char = this.#window.next()
    if (char === undefined) return 'end'
    if (isBlank(char)) return 'in section'
    if (char === '[') return 'section name'
    if (isCommentSign(char)) return 'comment'
    this.#window.putBack(char)
    return 'option name'
  }

  #sectionName(): State | Problem {
    const name = this.#window.through(']')
    if (!name.endsWith(']')) return { problem: 'a section name has no "]"' }
    this.#section = name.slice(0, -1)
    return 'after section name'
  }

  #optionName(): State | Problem {
    for (;;) {
      const char = this.#window.next()
      if (char === '=') return 'option value'
      if (char === undefined || char === '\n' || char === '\r') {
        return { problem: 'a line is neither a section, a comment nor of the form name=value' }
      }
    }
  }

  /** A trailing backslash continues the value on the next line. */
  #optionValue(): State {
    if (this.#window.line().endsWith('\\')) return 'option value'
    this.installs ||= this.#section === 'Install'
    return 'in section'
  }

  /** In a comment, a trailing backslash may be followed by a space. */
  #comment(): State {
    while (/\\ ?$/.test(this.#window.line())) continue
    return this.#section === undefined ? 'before sections' : 'in section'
  }
}

const isCommentSign = (char: string): boolean => char === '#' || char === ';'

/** White space as defined by Go; \s of JavaScript differs in two characters. */
const isBlank = (text: string): boolean =>
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(text)
