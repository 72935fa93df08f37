import type { ContainerRuntimeConfig } from '../../api/resources.ts'
import { quantityValue } from '@machinist/core/quantity'
import { plain, quoted } from '@machinist/core/quoted'
import type { StoreField } from './settings.ts'
import { saidIn } from './settings.ts'

const logLevels: readonly string[] = ['error', 'fatal', 'panic', 'warn', 'info', 'debug', 'trace']
const runtimes: readonly string[] = ['crun', 'runc']
const smallestPidsLimit = 20
/** What is read from a log at once: CRI-O wants more than that. */
const logBuffer = 8192n
const mostStores: Readonly<Record<StoreField, number>> = {
  additionalLayerStores: 5,
  additionalImageStores: 10,
  additionalArtifactStores: 10,
}

/** All that is wrong with an object, in sentences. The API server checks some of it as well, where it has our schema. */
export function problemsOf(object: Readonly<ContainerRuntimeConfig>): string[] {
  const said = saidIn(object)
  const { pidsLimit, logLevel, logSizeMax, overlaySize, defaultRuntime } = said
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
        (said[field] ?? []).map(({ path }) => path),
      ),
    ),
  ]
}

/** What nobody reads, here as in the original. */
export function idleIn(object: Readonly<ContainerRuntimeConfig>): string[] {
  const { containerGomaxprocsBehavior: behavior } = saidIn(object)
  if (behavior === undefined) return []
  return [
    `spec.containerRuntimeConfig.containerGomaxprocsBehavior: ${quoted(behavior)} is kept and changes nothing: CRI-O is not told to give containers a GOMAXPROCS, which only their images and pods do`,
  ]
}

function pidsProblems(limit: number): string[] {
  const isGood = Number.isSafeInteger(limit) && (limit === 0 || limit >= smallestPidsLimit)
  if (isGood) return []
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
    `invalid logSizeMax ${plain(String(size))}: has to be more than ${logBuffer} bytes, or negative for no limit`,
  ]
}

function overlayProblems(size: string | number): string[] {
  const bytes = quantityValue(size)
  if (bytes === undefined || isTooLarge(bytes)) return [amountProblem('overlaySize', size)]
  return bytes < 0n ? [`invalid overlaySize ${plain(String(size))}: must not be negative`] : []
}

const isTooLarge = (bytes: bigint): boolean => bytes >= 2n ** 63n || bytes < -(2n ** 63n)

const amountProblem = (field: string, size: string | number): string =>
  `invalid ${field} ${plain(String(size))}: use an amount of bytes such as 50Mi or 10G`

function storeProblems(field: StoreField, paths: readonly string[]): string[] {
  const twice = [...new Set(paths.filter((path, i) => paths.indexOf(path) < i))]
  const most = mostStores[field]
  return [
    ...(paths.length > most
      ? [`invalid ${field}: there are ${paths.length}, and ${most} is the most`]
      : []),
    ...twice.map((path) => `invalid ${field}: ${quoted(path)} is there more than once`),
    ...[...new Set(paths)].flatMap((path) => {
      const why = pathProblem(path)
      return why === undefined ? [] : [`invalid ${field} path ${quoted(path)}: ${why}`]
    }),
  ]
}

function pathProblem(path: string): string | undefined {
  if (!/^\/[a-zA-Z0-9/._-]+$/.test(path)) {
    return 'has to be an absolute path of letters, digits, /, ., _ and -'
  }
  if (path.includes('//')) return 'must not hold //'
  return path.length > 256 ? 'has more than 256 characters' : undefined
}
