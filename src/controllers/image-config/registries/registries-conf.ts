import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseToml } from '@machinist/core/encoding/toml'
import type { Mirror, Registry } from '../../../planner/actions/registries.ts'
import { readRegistries } from '../../../planner/actions/registries.ts'

/** A whole registries.conf, version 2 of the format. */
export interface RegistriesConf {
  readonly registries: readonly Registry[]
  /** Undefined if the file does not set it, which differs from an empty list. */
  readonly search?: readonly string[]
  readonly credentialHelpers?: readonly string[]
  readonly shortNameMode: string
  readonly layerStoreHelper: string
  readonly aliases?: Readonly<Record<string, string>>
}

export const scopeOf = ({ prefix, location }: Pick<Registry, 'prefix' | 'location'>): string =>
  prefix === '' ? location : prefix

/** Throws InvalidInput for files that nodes could not read either. */
export function readRegistriesConf(text: string): RegistriesConf {
  const toml = parseToml(text)
  const { byScope, search } = readRegistries(text)
  const helpers = toml['credential-helpers']
  const { aliases } = toml
  if (helpers !== undefined && !isStrings(helpers))
    throw new InvalidInput('credential-helpers is not a list of strings')
  if (aliases !== undefined && !(isObject(aliases) && isStrings(Object.values(aliases))))
    throw new InvalidInput('aliases is not a table of strings')
  return {
    registries: [...byScope.values()],
    ...(toml['unqualified-search-registries'] !== undefined && { search }),
    ...(helpers !== undefined && { credentialHelpers: helpers }),
    shortNameMode: textIn(toml, 'short-name-mode'),
    layerStoreHelper: textIn(toml, 'additional-layer-store-auth-helper'),
    ...(aliases !== undefined && { aliases: aliases as Record<string, string> }),
  }
}

/** Byte for byte as MCO's encoder writes it: the same content never changes a file. */
export function registriesText(conf: RegistriesConf): string {
  const { registries, search, credentialHelpers, shortNameMode, layerStoreHelper, aliases } = conf
  const head = [
    ...(search ? [`unqualified-search-registries = ${list(search)}`] : []),
    ...(credentialHelpers ? [`credential-helpers = ${list(credentialHelpers)}`] : []),
    `short-name-mode = ${text(shortNameMode)}`,
    `additional-layer-store-auth-helper = ${text(layerStoreHelper)}`,
  ]
  const names = Object.keys(aliases ?? {}).sort()
  const tail = names.map((name) => `  ${bareOrQuoted(name)} = ${text(aliases![name]!)}`)
  const lines = [
    ...head,
    ...registries.flatMap(registryLines),
    ...(aliases ? ['', '[aliases]', ...tail] : []),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function registryLines({
  prefix,
  location,
  insecure,
  blocked,
  byDigestOnly,
  mirrors,
}: Registry): string[] {
  return [
    '',
    '[[registry]]',
    `  prefix = ${text(prefix)}`,
    ...(location === '' ? [] : [`  location = ${text(location)}`]),
    ...(insecure ? ['  insecure = true'] : []),
    ...(blocked ? ['  blocked = true'] : []),
    ...(byDigestOnly ? ['  mirror-by-digest-only = true'] : []),
    ...mirrors.flatMap(mirrorLines),
  ]
}

function mirrorLines({ location, insecure, pull }: Mirror): string[] {
  return [
    '',
    '  [[registry.mirror]]',
    `    location = ${text(location)}`,
    ...(insecure ? ['    insecure = true'] : []),
    ...(pull === '' ? [] : [`    pull-from-mirror = ${text(pull)}`]),
  ]
}

/** A JSON string is a valid TOML string. */
const text = (value: string): string => JSON.stringify(value)
const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`
const bareOrQuoted = (key: string): string => (/^[\w-]+$/.test(key) ? key : text(key))

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function textIn(table: Record<string, unknown>, key: string): string {
  const value = table[key] ?? ''
  if (typeof value === 'string') return value
  throw new InvalidInput(`${key} is not a string`)
}
