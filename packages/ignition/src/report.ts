/** Errors make a config unusable; a warning says what will not work as written; info only informs. */
export type Level = 'error' | 'warning' | 'info'

export type PathStep = string | number
export type Path = readonly PathStep[]

export interface ReportEntry {
  readonly level: Level
  readonly path: Path
  readonly message: string
  /** Where in the text, if there is a text. */
  readonly position?: Position
  readonly mistake?: Mistake
}

/**
 * Of a warning about something that Ignition accepts but the author did not mean. Certain: part of what is written reaches no
 * machine, or cannot have been meant. Likely: it may have been meant, but rarely is.
 */
export type Mistake = 'certain' | 'likely'

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Everything that is to be said about one config. */
export class Report {
  readonly entries: ReportEntry[] = []

  add(level: Level, path: Path, message: string, position?: Position): void {
    this.entries.push(position ? { level, path, message, position } : { level, path, message })
  }

  addAll(entries: readonly ReportEntry[]): void {
    for (const entry of entries) this.entries.push(entry)
  }

  /** Whether the config cannot be used. */
  get fatal(): boolean {
    return this.entries.some(({ level }) => level === 'error')
  }
}

/** A place in a config that rules can speak about; its path is put together only when one does. */
export class Place {
  readonly #report: Report
  readonly #above: Place | undefined
  readonly #step: PathStep

  constructor(report: Report, above?: Place, step: PathStep = '') {
    this.#report = report
    this.#above = above
    this.#step = step
  }

  /** The place below this one. */
  at(step: PathStep, ...further: PathStep[]): Place {
    let place = new Place(this.#report, this, step)
    for (const next of further) place = new Place(this.#report, place, next)
    return place
  }

  error(message: string): void {
    this.#report.add('error', this.path, message)
  }

  warn(message: string, mistake?: Mistake): void {
    const entry = { level: 'warning', path: this.path, message } as const
    this.#report.addAll([mistake ? { ...entry, mistake } : entry])
  }

  get path(): Path {
    return this.#above ? [...this.#above.path, this.#step] : []
  }
}

/** `$.storage.files[2].mode` */
export function pathText(path: Path): string {
  let text = '$'
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
  }
  return text
}

/** One entry as one line: `error at $.storage.files[2].mode (line 4, column 17): …` */
export function entryText({ level, path, message, position }: ReportEntry): string {
  const place = position ? ` (line ${position.line}, column ${position.column})` : ''
  return `${level} at ${pathText(path)}${place}: ${message}`
}
