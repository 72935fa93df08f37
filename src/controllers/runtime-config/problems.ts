import { quantityValue } from '@machinist/core/objects/quantity'
import { plain, quoted } from '@machinist/core/quoted'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'
import type { StoreField } from './settings.ts'
import { setFields } from './settings.ts'

const logLevels: readonly string[] = ['error', 'fatal', 'panic', 'warn', 'info', 'debug', 'trace']
const runtimes: readonly string[] = ['crun', 'runc']
const smallestPidsLimit = 20
/** The size of CRI-O's read buffer; CRI-O requires a larger log size. */
const logBuffer = 8192n
const mostStores: Readonly<Record<StoreField, number>> = {
  additionalLayerStores: 5,
  additionalImageStores: 10,
  additionalArtifactStores: 10,
}

/** All problems of an object. The schema of the CRD covers some of them. */
export function runtimeConfigProblems(object: Readonly<ContainerRuntimeConfig>): string[] {
  const fields = setFields(object)
  const { pidsLimit, logLevel, logSizeMax, overlaySize, defaultRuntime } = fields
  const stores = Object.keys(mostStores) as StoreField[]
  return [
    ...(pidsLimit === undefined ? [] : pidsProblems(pidsLimit)),
    ...(logLevel ? choiceProblems('logLevel', logLevel, logLevels) : []),
    ...(logSizeMax === undefined ? [] : logSizeProblems(logSizeMax)),
    ...(overlaySize === undefined ? [] : overlayProblems(overlaySize)),
    ...(defaultRuntime ? choiceProblems('defaultRuntime', defaultRuntime, runtimes) : []),
    ...stores.flatMap((field) =>
      storeProblems(
        field,
        (fields[field] ?? []).map(({ path }) => path),
      ),
    ),
  ]
}

/** Fields that have no effect, as in MCO. */
export function ineffectiveFields(object: Readonly<ContainerRuntimeConfig>): string[] {
  const { containerGomaxprocsBehavior: behavior } = setFields(object)
  if (behavior === undefined) return []
  return [
    `spec.containerRuntimeConfig.containerGomaxprocsBehavior: ${quoted(behavior)} has no effect: Machinist does not configure CRI-O to set GOMAXPROCS in containers; remove the field, and set GOMAXPROCS in images or pods`,
  ]
}

function pidsProblems(limit: number): string[] {
  const isValid = Number.isSafeInteger(limit) && (limit === 0 || limit >= smallestPidsLimit)
  if (isValid) return []
  return [`invalid pidsLimit ${limit}: use 0 for no limit, or at least ${smallestPidsLimit}`]
}

function choiceProblems(field: string, value: string, choices: readonly string[]): string[] {
  if (choices.includes(value)) return []
  return [`invalid ${field} ${quoted(value)}: use one of ${choices.join(', ')}`]
}

function logSizeProblems(size: string | number): string[] {
  const bytes = quantityValue(size)
  if (bytes === undefined || isTooLarge(bytes)) return [amountProblem('logSizeMax', size)]
  if (bytes <= 0n || bytes > logBuffer) return []
  return [
    `invalid logSizeMax ${plain(String(size))}: use more than ${logBuffer} bytes, or a negative value for no limit`,
  ]
}

function overlayProblems(size: string | number): string[] {
  const bytes = quantityValue(size)
  if (bytes === undefined || isTooLarge(bytes)) return [amountProblem('overlaySize', size)]
  return bytes < 0n ? [`invalid overlaySize ${plain(String(size))}: use 0 or more bytes`] : []
}

const isTooLarge = (bytes: bigint): boolean => bytes >= 2n ** 63n || bytes < -(2n ** 63n)

const amountProblem = (field: string, size: string | number): string =>
  `invalid ${field} ${plain(String(size))}: use a size in bytes such as 50Mi or 10G`

function storeProblems(field: StoreField, paths: readonly string[]): string[] {
  const twice = [...new Set(paths.filter((path, i) => paths.indexOf(path) < i))]
  const most = mostStores[field]
  return [
    ...(paths.length > most
      ? [`invalid ${field}: ${paths.length} entries exceed the maximum of ${most}`]
      : []),
    ...twice.map((path) => `invalid ${field}: ${quoted(path)} is listed more than once`),
    ...[...new Set(paths)].flatMap((path) => {
      const why = pathProblem(path)
      return why === undefined ? [] : [`invalid ${field} path ${quoted(path)}: ${why}`]
    }),
  ]
}

function pathProblem(path: string): string | undefined {
  if (!/^\/[a-zA-Z0-9/._-]+$/.test(path)) {
    return 'use an absolute path of letters, digits, /, ., _ and -'
  }
  if (path.includes('//')) return 'remove //'
  return path.length > 256 ? 'use at most 256 characters' : undefined
}
