import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { isObject } from '@machinist/core/json'
import { fieldMistakes, readInput } from '../../fleet/render/read-input.ts'
import { parseAnyVersion, parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { Level, Path, ReportEntry } from '@machinist/ignition/report'
import { entryText, pathText } from '@machinist/ignition/report'
import type { ConfigDocument } from './ignition-documents.ts'
import { configDocuments } from './ignition-documents.ts'

/** What `machinist ignition validate -o json` prints. */
export interface ValidationJson {
  readonly valid: boolean
  readonly configs: readonly ConfigJson[]
}

export interface ConfigJson {
  readonly file: string
  /** The name of the MachineConfig; absent for an Ignition config. */
  readonly machineConfig?: string
  readonly valid: boolean
  /** As the config names it; absent if it names none. */
  readonly version?: string
  readonly entries: readonly ValidationEntry[]
}

export interface ValidationEntry {
  readonly level: Level
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

export interface Validation {
  /** For people: one line for each entry, or one that says that there is none. */
  readonly lines: readonly string[]
  /** Why something cannot be used, in one line; absent if all can. */
  readonly problem?: string
  readonly json: ValidationJson
}

export interface ValidationSource {
  readonly text: string | Uint8Array
  /** How to call it: the name of a file, or `standard input`. */
  readonly origin: string
}

/** Validates Ignition configs of any version, and MachineConfigs by the rules that render has for each by itself. */
export function validateSources(sources: readonly ValidationSource[]): Validation {
  const judged = sources.flatMap(({ text, origin }) => {
    const documents = configDocuments(text, origin)
    return documents.length > 0 ? documents.map((one) => judge(one, origin)) : [nothing(origin)]
  })
  const [first, ...others] = judged.flatMap(({ label, entries }) =>
    entries.filter(isError).map((entry) => `${label} is not valid: ${lineOf(entry)}`),
  )
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return {
    lines: judged.flatMap(linesOf),
    ...(first !== undefined && { problem: `${first}${more}` }),
    json: { valid: first === undefined, configs: judged.map(asJson) },
  }
}

/** `path` of an entry is undefined where the message names the field. */
type JudgedEntry = Omit<ReportEntry, 'path'> & { readonly path?: Path }

interface Judged {
  readonly label: string
  readonly file: string
  readonly machineConfig?: string
  readonly version?: string
  readonly entries: readonly JudgedEntry[]
}

function judge(document: ConfigDocument, file: string): Judged {
  if (document.type === 'machineConfig') return judgeMachineConfig(document.machineConfig, file)
  const { version, report } =
    document.type === 'text' ? parseAnyVersion(document.text) : parseAnyVersionValue(document.value)
  return { label: file, file, entries: report.entries, ...(version !== undefined && { version }) }
}

function judgeMachineConfig(machineConfig: MachineConfig, file: string): Judged {
  const { metadata, spec: given } = machineConfig as { metadata?: unknown; spec?: unknown }
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  const spec: MachineConfigSpec = isObject(given) ? given : {}
  const parsed = isEmpty(spec.config) ? undefined : parseAnyVersionValue(spec.config)
  const config = (parsed?.report.entries ?? []).map(inMachineConfig)
  // Where the Ignition part cannot be read, the rest is judged without it.
  const { config: _, ...rest } = spec
  const judgeable = { metadata: { name }, spec: parsed?.report.fatal ? rest : given }
  const sentences = [
    ...(name === '' ? ['metadata.name is missing'] : []),
    ...readInput(judgeable as MachineConfig).problems,
    ...fieldMistakes(spec).map(({ message }) => message),
  ]
  return {
    label: `${file}: MachineConfig ${name || '(no name)'}`,
    file,
    machineConfig: name,
    ...(parsed?.version !== undefined && { version: parsed.version }),
    entries: [...config, ...sentences.map((message): JudgedEntry => ({ level: 'error', message }))],
  }
}

/** A pool refuses what Ignition only warns of. */
function inMachineConfig({ level, path, message, mistake }: ReportEntry): JudgedEntry {
  return {
    level: mistake === 'certain' ? 'error' : level,
    path: ['spec', 'config', ...path],
    message,
  }
}

/** A MachineConfig need not have an Ignition part. */
const isEmpty = (config: unknown): boolean =>
  config === undefined || config === null || (isObject(config) && Object.keys(config).length === 0)

function nothing(file: string): Judged {
  const message = 'holds neither an Ignition config nor a MachineConfig'
  return { label: file, file, entries: [{ level: 'error', message }] }
}

const isError = ({ level }: JudgedEntry): boolean => level === 'error'

function lineOf({ path, ...entry }: JudgedEntry): string {
  return path ? entryText({ ...entry, path }) : `${entry.level}: ${entry.message}`
}

function linesOf({ label, version, entries }: Judged): string[] {
  if (entries.length > 0) return entries.map((entry) => `${label}: ${lineOf(entry)}`)
  return [`${label}: valid${version === undefined ? '' : ` (Ignition ${version})`}`]
}

function asJson({ file, machineConfig, version, entries }: Judged): ConfigJson {
  return {
    file,
    ...(machineConfig !== undefined && { machineConfig }),
    valid: !entries.some(isError),
    ...(version !== undefined && { version }),
    entries: entries.map(({ level, path = [], message, position }) => ({
      level,
      path: pathText(path),
      message,
      ...position,
    })),
  }
}
