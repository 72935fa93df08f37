import { isObject } from '@machinist/core/encoding/json'
import type { Config } from '@machinist/ignition/spec/config'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { Mistake } from '@machinist/ignition/report/report'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { kernelTypes } from '../../api/names.ts'
import { ignitionProblems, mistakesIn } from './ignition-problems.ts'
import { kernelWords } from './kernel-arguments.ts'

/** The operating system settings of a MachineConfig, with defaults applied. */
export interface OsPart {
  readonly osImage: string
  readonly kernelType: string
  /** Without duplicates. */
  readonly extensions: readonly string[]
  /** One kernel argument per entry. */
  readonly kernelArguments: readonly string[]
}

/** A MachineConfig with its parsed Ignition config and defaults applied. */
export interface ReadConfig extends OsPart {
  readonly name: string
  readonly ignition: Config
  readonly fips: boolean
}

export interface ConfigReading {
  readonly config: ReadConfig
  /** Problems, one sentence each. If there are any, `config` is incomplete. */
  readonly problems: readonly string[]
  /** Probable mistakes: values that have no effect or another effect than written. */
  readonly mistakes: readonly ConfigMistake[]
}

export interface ConfigMistake {
  readonly mistake: Mistake
  /** Path and problem, without the name of the MachineConfig. */
  readonly message: string
}

export type ConfigSide = 'old' | 'new'

/** The name of the config of a node that has none. */
const emptyName = 'mco-empty-mc'

/** Parses any object that claims to be a MachineConfig. Never throws: everything invalid is a problem. */
export function readConfig(
  machineConfig: MachineConfig | undefined,
  side: ConfigSide,
): ConfigReading {
  const problems: string[] = []
  const name = nameOf(machineConfig)
  const spec = fieldsOf(machineConfig?.spec, `spec of ${name}`, problems)
  const field = fieldReader(spec, name, problems)
  const { ignition, mistakes } = readIgnition(spec['config'], name, side, problems)
  const config: ReadConfig = { name, ignition, ...osPart(field), fips: field('fips', boolean) }
  return { config, problems, mistakes }
}

/** Parses only the operating system settings, because parsing the Ignition config is expensive. */
export function readOsPart(machineConfig: MachineConfig): OsPart {
  const spec = fieldsOf(machineConfig.spec, 'spec', [])
  return osPart(fieldReader(spec, '', []))
}

const osPart = (field: FieldReader): OsPart => ({
  osImage: field('osImageURL', text),
  kernelType: field('kernelType', text) || kernelTypes.default,
  extensions: [...new Set(field('extensions', texts))],
  kernelArguments: field('kernelArguments', texts).flatMap(kernelWords),
})

type FieldReader = <T>(key: string, type: FieldType<T>) => T

function fieldReader(
  spec: Readonly<Record<string, unknown>>,
  name: string,
  problems: string[],
): FieldReader {
  return (key, type) => {
    const value = Object.hasOwn(spec, key) ? spec[key] : undefined
    if (value === undefined || value === null) return type.absent
    if (type.fits(value)) return value
    problems.push(`spec.${key} of ${name} must be ${type.name}`)
    return type.absent
  }
}

interface FieldType<T> {
  readonly name: string
  readonly absent: T
  readonly fits: (value: unknown) => value is T
}

const isText = (value: unknown): value is string => typeof value === 'string'

const text: FieldType<string> = { name: 'a string', absent: '', fits: isText }

const boolean: FieldType<boolean> = {
  name: 'true or false',
  absent: false,
  fits: (value) => typeof value === 'boolean',
}

const texts: FieldType<readonly string[]> = {
  name: 'a list of strings',
  absent: [],
  fits: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
}

function nameOf(machineConfig: MachineConfig | undefined): string {
  if (machineConfig === undefined) return emptyName
  const name: unknown = machineConfig.metadata?.name
  return isText(name) && name !== '' ? name : '(no name)'
}

function fieldsOf(value: unknown, what: string, problems: string[]): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  if (isObject(value)) return value
  problems.push(`the ${what} must be an object`)
  return {}
}

const none: readonly ConfigMistake[] = []
const emptyIgnition: Config = { ignition: { version: '3.5.0' } }

interface ReadIgnition {
  readonly ignition: Config
  readonly mistakes: readonly ConfigMistake[]
}

function readIgnition(
  value: unknown,
  name: string,
  side: ConfigSide,
  problems: string[],
): ReadIgnition {
  if (isEmptyConfig(value)) return { ignition: emptyIgnition, mistakes: none }
  const { config, report } = parseAnyVersionValue(value)
  if (config) return { ignition: config, mistakes: mistakesIn(report) }
  problems.push(...ignitionProblems(value, report, name, side))
  return { ignition: emptyIgnition, mistakes: none }
}

/** First boot writes configs whose Ignition sections exist but are all empty. */
function isEmptyConfig(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object' || depth > 4) return false
  return Object.values(value).every((inner) => isEmptyConfig(inner, depth + 1))
}
