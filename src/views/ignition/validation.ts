import { isObject } from '@machinist/core/encoding/json'
import { parseAnyVersion, parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { ReportLevel, Path, ReportEntry } from '@machinist/ignition/report/report'
import { entryText, pathText } from '@machinist/ignition/report/report'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { fieldMistakes, readInput } from '../../fleet/render/read-input.ts'
import type { ConfigDocument } from './config-documents.ts'
import { configDocuments } from './config-documents.ts'

/** The output of `machinist ignition validate -o json`. */
export interface ValidationJson {
  readonly valid: boolean
  readonly configs: readonly ConfigJson[]
}

export interface ConfigJson {
  readonly file: string
  /** The name of the MachineConfig; absent for an Ignition config. */
  readonly machineConfig?: string
  readonly valid: boolean
  /** The version in the config, if it has one. */
  readonly version?: string
  readonly entries: readonly ValidationEntry[]
}

export interface ValidationEntry {
  readonly level: ReportLevel
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

export interface Validation {
  /** Text output: one line per entry, or one line that reports a valid config. */
  readonly lines: readonly string[]
  /** The first error in one line; absent if all configs are valid. */
  readonly problem?: string
  readonly json: ValidationJson
}

export interface ValidationSource {
  readonly text: string | Uint8Array
  /** Its name in messages: a file name, or `standard input`. */
  readonly origin: string
}

/** Validates Ignition configs of any version, and MachineConfigs by the rules of the render controller for a single one. */
export function validateSources(sources: readonly ValidationSource[]): Validation {
  const results = sources.flatMap(({ text, origin }) => {
    const documents = configDocuments(text, origin)
    return documents.length > 0
      ? documents.map((one) => validateDocument(one, origin))
      : [noConfig(origin)]
  })
  const [first, ...others] = results.flatMap(({ label, entries }) =>
    entries.filter(isError).map((entry) => `${label} is not valid: ${lineOf(entry)}`),
  )
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return {
    lines: results.flatMap(linesOf),
    ...(first !== undefined && { problem: `${first}${more}` }),
    json: { valid: first === undefined, configs: results.map(asJson) },
  }
}

/** `path` of an entry is undefined if the message names the field. */
type ResultEntry = Omit<ReportEntry, 'path'> & { readonly path?: Path }

interface ConfigResult {
  readonly label: string
  readonly file: string
  readonly machineConfig?: string
  readonly version?: string
  readonly entries: readonly ResultEntry[]
}

function validateDocument(document: ConfigDocument, file: string): ConfigResult {
  if (document.type === 'machineConfig') return validateMachineConfig(document.machineConfig, file)
  const { version, report } =
    document.type === 'text' ? parseAnyVersion(document.text) : parseAnyVersionValue(document.value)
  return { label: file, file, entries: report.entries, ...(version !== undefined && { version }) }
}

function validateMachineConfig(machineConfig: MachineConfig, file: string): ConfigResult {
  const { metadata, spec: given } = machineConfig as { metadata?: unknown; spec?: unknown }
  const name = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  const spec: MachineConfigSpec = isObject(given) ? given : {}
  const parsed = isEmpty(spec.config) ? undefined : parseAnyVersionValue(spec.config)
  const config = (parsed?.report.entries ?? []).map(inMachineConfig)
  // If the Ignition config cannot be parsed, the other fields are validated without it.
  const { config: _, ...rest } = spec
  const readable = { metadata: { name }, spec: parsed?.report.fatal ? rest : given }
  const sentences = [
    ...(name === '' ? ['metadata.name is missing'] : []),
    ...readInput(readable as MachineConfig).problems,
    ...fieldMistakes(spec).map(({ message }) => message),
  ]
  return {
    label: `${file}: MachineConfig ${name || '(no name)'}`,
    file,
    machineConfig: name,
    ...(parsed?.version !== undefined && { version: parsed.version }),
    entries: [...config, ...sentences.map((message): ResultEntry => ({ level: 'error', message }))],
  }
}

/** The render controller rejects mistakes for which Ignition only warns. */
function inMachineConfig({ level, path, message, mistake }: ReportEntry): ResultEntry {
  return {
    level: mistake === 'certain' ? 'error' : level,
    path: ['spec', 'config', ...path],
    message,
  }
}

/** The Ignition config of a MachineConfig is optional. */
const isEmpty = (config: unknown): boolean =>
  config === undefined || config === null || (isObject(config) && Object.keys(config).length === 0)

function noConfig(file: string): ConfigResult {
  const message = 'contains neither an Ignition config nor a MachineConfig'
  return { label: file, file, entries: [{ level: 'error', message }] }
}

const isError = ({ level }: ResultEntry): boolean => level === 'error'

function lineOf({ path, ...entry }: ResultEntry): string {
  return path ? entryText({ ...entry, path }) : `${entry.level}: ${entry.message}`
}

function linesOf({ label, version, entries }: ConfigResult): string[] {
  if (entries.length > 0) return entries.map((entry) => `${label}: ${lineOf(entry)}`)
  return [`${label}: valid${version === undefined ? '' : ` (Ignition ${version})`}`]
}

function asJson({ file, machineConfig, version, entries }: ConfigResult): ConfigJson {
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
