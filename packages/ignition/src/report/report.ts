/** An error makes a config unusable; a warning reports a part that does not work as written. */
export type ReportLevel = 'error' | 'warning' | 'info'

export type PathStep = string | number
export type Path = readonly PathStep[]

export interface ReportEntry {
  readonly level: ReportLevel
  readonly path: Path
  readonly message: string
  /** The position in the text, if the config was parsed from a text. */
  readonly position?: Position
  readonly mistake?: Mistake
}

/**
 * Marks a warning about a probable mistake that Ignition accepts. Certain: a part of the config has no effect or cannot be intended.
 * Likely: it may be intended, but rarely is.
 */
export type Mistake = 'certain' | 'likely'

/** Both start at 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The findings about one config. */
export class Report {
  readonly entries: ReportEntry[] = []

  add(level: ReportLevel, path: Path, message: string, position?: Position): void {
    this.entries.push(position ? { level, path, message, position } : { level, path, message })
  }

  addAll(entries: readonly ReportEntry[]): void {
    for (const entry of entries) this.entries.push(entry)
  }

  /** Whether the config is unusable. */
  get fatal(): boolean {
    return this.entries.some(({ level }) => level === 'error')
  }
}

/** A place in a config to which rules attach findings. Its path is built only when needed. */
export class Place {
  readonly #report: Report
  readonly #above: Place | undefined
  readonly #step: PathStep

  constructor(report: Report, above?: Place, step: PathStep = '') {
    this.#report = report
    this.#above = above
    this.#step = step
  }

  /** A place below this one. */
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

/** An entry as one line: `error at $.storage.files[2].mode (line 4, column 17): …` */
export function entryText({ level, path, message, position }: ReportEntry): string {
  const place = position ? ` (line ${position.line}, column ${position.column})` : ''
  return `${level} at ${pathText(path)}${place}: ${message}`
}
