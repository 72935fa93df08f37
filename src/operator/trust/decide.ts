import type { ControllerConfigSpec } from '../../api/kinds/controller-config.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { emptySpec } from '../../api/new-controller-config.ts'
import type { ApiServerCA } from './api-server-ca.ts'
import { apiServerCA } from './api-server-ca.ts'
import type { ConfigMapWrite } from './config-map-write.ts'
import { controllerConfigChange } from './controller-config-change.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import type { FieldValue, TrustField, TrustFields } from './fields.ts'
import { fitted } from './fit.ts'
import type { FieldInputName } from './inputs.ts'
import { trustInputs } from './inputs.ts'
import { mergedRegistryCAs } from './merged-registry-cas.ts'
import { trustReasons } from './reasons.ts'
import type { TrustReport } from './reports.ts'
import { apiServerReport, fieldReport } from './reports.ts'

/** What is to be done; what is absent is as it should be. */
export interface TrustDecision {
  readonly reports: readonly TrustReport[]
  readonly controllerConfig?: ControllerConfigChange
  readonly kubeconfigData?: ConfigMapWrite
  readonly mergedCAs?: ConfigMapWrite
  /** When time alone may change the decision. */
  readonly lookAgainMs?: number
}

/** Each input by itself: whatever is wrong with one, the others go on, and what it gave last stays. */
export function decide(facts: TrustFacts): TrustDecision {
  const { now, controllerConfig, lastGood: before } = facts
  const verdicts = verdictsOf(facts)
  const others = sizeOfOthers(controllerConfig?.spec ?? emptySpec)
  const fitting = fitted(wantedFields(verdicts, before), before, order, others)
  const server = apiServerCA(facts)
  const reports = [
    ...inputNames.map((input) => fieldReport(input, verdicts[input], before, fitting, now)),
    apiServerReport(server, now),
  ]
  const { fields } = fitting
  // Whoever has something to say makes the object; nobody makes it to say nothing.
  const hasNews = controllerConfig !== undefined || reports.some(({ state }) => state !== 'absent')
  const change = hasNews ? controllerConfigChange(controllerConfig, fields, server) : undefined
  const { imageRegistryBundleData, imageRegistryBundleUserData } = fields
  const mergedCAs = mergedRegistryCAs(facts, imageRegistryBundleData, imageRegistryBundleUserData)
  const lookAgainMs = nextLook(server, reports, now)
  return {
    reports,
    ...(change && { controllerConfig: change }),
    ...(server.write && { kubeconfigData: server.write }),
    ...(mergedCAs && { mergedCAs }),
    ...(lookAgainMs !== undefined && { lookAgainMs }),
  }
}

type Verdicts = Readonly<Record<FieldInputName, Verdict<NonNullable<FieldValue>>>>

const inputNames = Object.keys(trustInputs) as readonly FieldInputName[]
const order = inputNames.map((input): TrustField => trustInputs[input].field)

function verdictsOf(facts: TrustFacts): Verdicts {
  const verdicts = inputNames.map((input) => [input, trustInputs[input].read(facts)] as const)
  return Object.fromEntries(verdicts) as unknown as Verdicts
}

function wantedFields(verdicts: Verdicts, before: TrustFields): TrustFields {
  const values = inputNames.map((input) => {
    const { field } = trustInputs[input]
    return [field, valueOf(verdicts[input], before[field])] as const
  })
  return Object.fromEntries(values) as unknown as TrustFields
}

function valueOf(verdict: Verdicts[FieldInputName], before: FieldValue): FieldValue {
  if (verdict.state === 'absent') return Array.isArray(before) ? [] : null
  return verdict.value ?? before
}

/** How much everything takes that is not ours. */
function sizeOfOthers(spec: Readonly<ControllerConfigSpec>): number {
  const ours = new Set<string>(order)
  const others = Object.entries(spec).filter(([field]) => !ours.has(field))
  return JSON.stringify(Object.fromEntries(others)).length
}

const longestMs = 24 * 3600_000
/** Nobody tells when rights have been given. */
const unreachableMs = 60_000

/** When something ends, the API server's CAs have settled, or what could not be read perhaps can. */
function nextLook(
  { lookAgainMs }: ApiServerCA,
  reports: readonly TrustReport[],
  now: number,
): number | undefined {
  const ends = reports.flatMap(({ notAfter }) =>
    notAfter === undefined ? [] : Math.min(notAfter + 1000 - now, longestMs),
  )
  const isUnreachable = reports.some(({ problem }) => problem?.reason === trustReasons.notReachable)
  const waits = [
    ...ends,
    ...(lookAgainMs === undefined ? [] : [lookAgainMs]),
    ...(isUnreachable ? [unreachableMs] : []),
  ]
  return waits.length > 0 ? Math.max(Math.min(...waits), 0) : undefined
}
