import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfigSpec } from '../../api/kinds/controller-config.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { emptyControllerConfigSpec } from '../../api/kinds/new-controller-config.ts'
import type { ApiServerCA } from './sources/api-server-ca.ts'
import { apiServerCA } from './sources/api-server-ca.ts'
import type { ConfigMapWrite } from './sources/config-map-write.ts'
import { controllerConfigChange } from './controller-config-change.ts'
import type { TrustFacts, InputResult } from './facts/facts.ts'
import type { FieldValue, TrustField, TrustFields } from './facts/fields.ts'
import { fitFields } from './fit.ts'
import type { FieldInputName } from './field-inputs.ts'
import { fieldInputs } from './field-inputs.ts'
import { mergedRegistryCAs } from './sources/merged-registry-cas.ts'
import { trustReasons } from './facts/reasons.ts'
import type { TrustReport } from './reports.ts'
import { apiServerReport, fieldReport } from './reports.ts'

/** The writes and reports; an absent write means that nothing differs. */
export interface TrustPlan {
  /**
   * `kubeconfigDataFirst`: the digest of the API server's CAs is computed from kubeconfig-data. If both objects are new,
   * kubeconfig-data is written first, so that the ControllerConfig is written once.
   */
  readonly type: 'all' | 'kubeconfigDataFirst'
  readonly reports: readonly TrustReport[]
  readonly controllerConfig?: ControllerConfigChange
  readonly kubeconfigData?: ConfigMapWrite
  readonly mergedCAs?: ConfigMapWrite
  /** When the decision may change without an event. */
  readonly requeueAfterMs?: number
}

/** Pure. Decides each input independently: an invalid input keeps its last valid value and does not block others. */
export function decide(facts: TrustFacts): TrustPlan {
  const { now, controllerConfig, lastGood: before } = facts
  const results = readInputs(facts)
  const others = sizeOfOthers(controllerConfig?.spec ?? emptyControllerConfigSpec)
  const fitting = fitFields(desiredFields(results, before), before, order, others)
  const server = apiServerCA(facts)
  const reports = [
    ...inputNames.map((input) => fieldReport(input, results[input], before, fitting, now)),
    apiServerReport(server, now),
  ]
  const { fields } = fitting
  // The ControllerConfig is created only if there is an input.
  const isNeeded = controllerConfig !== undefined || reports.some(({ state }) => state !== 'absent')
  const change = isNeeded ? controllerConfigChange(controllerConfig, fields, server) : undefined
  const { write: kubeconfigData } = server
  if (change && kubeconfigData && isFirstWrite(facts)) {
    return { type: 'kubeconfigDataFirst', reports, kubeconfigData }
  }
  const { imageRegistryBundleData, imageRegistryBundleUserData } = fields
  const mergedCAs = mergedRegistryCAs(facts, imageRegistryBundleData, imageRegistryBundleUserData)
  const requeueAfterMs = nextRequeueMs(server, reports, now)
  return {
    type: 'all',
    reports,
    ...(change && { controllerConfig: change }),
    ...(kubeconfigData && { kubeconfigData }),
    ...(mergedCAs && { mergedCAs }),
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
  }
}

/** Whether the trust fields were never written. Only the first pass counts: a failure of kubeconfig-data blocks nothing. */
function isFirstWrite({ isFirstPass, controllerConfig }: TrustFacts): boolean {
  const { trustDigests } = ownControllerConfigAnnotations
  return isFirstPass && controllerConfig?.metadata.annotations?.[trustDigests] === undefined
}

type InputResults = Readonly<Record<FieldInputName, InputResult<NonNullable<FieldValue>>>>

const inputNames = Object.keys(fieldInputs) as readonly FieldInputName[]
const order = inputNames.map((input): TrustField => fieldInputs[input].field)

function readInputs(facts: TrustFacts): InputResults {
  const results = inputNames.map((input) => [input, fieldInputs[input].read(facts)] as const)
  return Object.fromEntries(results) as unknown as InputResults
}

function desiredFields(results: InputResults, before: TrustFields): TrustFields {
  const values = inputNames.map((input) => {
    const { field } = fieldInputs[input]
    return [field, valueOf(results[input], before[field])] as const
  })
  return Object.fromEntries(values) as unknown as TrustFields
}

function valueOf(result: InputResults[FieldInputName], before: FieldValue): FieldValue {
  if (result.state === 'absent') return Array.isArray(before) ? [] : null
  return result.value ?? before
}

/** The size of the spec fields of other writers. */
function sizeOfOthers(spec: Readonly<ControllerConfigSpec>): number {
  const ours = new Set<string>(order)
  const others = Object.entries(spec).filter(([field]) => !ours.has(field))
  return JSON.stringify(Object.fromEntries(others)).length
}

const maxRequeueMs = 24 * 3600_000
/** Granting permissions causes no watch event. */
const notReachableMs = 60_000

/** The time until a certificate expires, the API server's CAs have settled, or an unreadable object may be readable. */
function nextRequeueMs(
  { requeueAfterMs }: ApiServerCA,
  reports: readonly TrustReport[],
  now: number,
): number | undefined {
  const expiries = reports.flatMap(({ notAfter }) =>
    notAfter === undefined ? [] : Math.min(notAfter + 1000 - now, maxRequeueMs),
  )
  const isNotReachable = reports.some(
    ({ problem }) => problem?.reason === trustReasons.notReachable,
  )
  const waits = [
    ...expiries,
    ...(requeueAfterMs === undefined ? [] : [requeueAfterMs]),
    ...(isNotReachable ? [notReachableMs] : []),
  ]
  return waits.length > 0 ? Math.max(Math.min(...waits), 0) : undefined
}
