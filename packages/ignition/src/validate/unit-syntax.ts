import { UnitWindow } from './unit-window.ts'

/** What is to be known about the text of a unit. */
export interface UnitSyntax {
  /** Why it cannot be read, if so. */
  readonly problem?: string
  /** Whether there is anything in an [Install] section, so that the unit can be enabled. */
  readonly installs: boolean
}

/** Reads a unit to the verdict of the library that Ignition uses: lenient here, oddly strict there. */
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

  /** What is wrong, if anything. */
  read(): string | undefined {
    let state: State = 'before sections'
    while (state !== 'end') {
      if (this.#window.showsLongLine()) return 'a line has 2048 bytes or more'
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
          : { problem: 'there is text after the "]" of a section' }
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

  /** Whatever stands before the first section is passed over. */
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

  /** A backslash at the very end continues the value on the next line. */
  #optionValue(): State {
    if (this.#window.line().endsWith('\\')) return 'option value'
    this.installs ||= this.#section === 'Install'
    return 'in section'
  }

  /** Here a backslash counts with a blank after it, too. */
  #comment(): State {
    while (/\\ ?$/.test(this.#window.line())) continue
    return this.#section === undefined ? 'before sections' : 'in section'
  }
}

const isCommentSign = (char: string): boolean => char === '#' || char === ';'

/** White space as Go knows it; JavaScript's \s differs in two characters. */
const isBlank = (text: string): boolean =>
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(text)
