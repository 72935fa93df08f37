import { InvalidInput } from '@machinist/core/errors'
import type { ConditionReport } from '../../api/conditions.ts'
import { imageConfigDegraded, maxMessageLength } from '../../api/conditions.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { clusterVersions, images } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { filesSpec } from '../generated/files-spec.ts'
import type { Problem } from './model/problem.ts'
import type { BaseFiles, NodeFiles, ImageSettings } from './node-files.ts'
import { makeNodeFiles } from './node-files.ts'
import type { StoredFiles } from './model/stored-files.ts'
import { storedFiles } from './model/stored-files.ts'

/** What this controller stores for a pool, and what it reports. */
export interface PoolPlan {
  /** Undefined if the pool has no MachineConfig and needs none. */
  readonly spec: MachineConfigSpec | undefined
  /** In descending order of severity. */
  readonly problems: readonly Problem[]
}

/** Pure. `stored` is the current MachineConfig of the pool. */
export function planPool(
  settings: ImageSettings,
  base: BaseFiles,
  stored: Readonly<MachineConfig> | undefined,
): PoolPlan {
  const { files, problems: fileProblems } = tryMakeNodeFiles(settings, base, storedFiles(stored))
  const unprotected = settings.isOpenShift || !isOwnedByImage(stored) ? [] : [releaseUnknown]
  const problems = [...unprotected, ...settings.problems, ...fileProblems].toSorted(
    (a, b) => severity[a.effect] - severity[b.effect],
  )
  if (problems.some(({ effect }) => effect === 'held')) return { spec: stored?.spec, problems }
  const isNeeded = settings.isOpenShift || stored !== undefined || files.length > 0
  return { spec: isNeeded ? filesSpec(files) : undefined, problems }
}

/** Outside OpenShift, the MachineConfig has no owner. */
const isOwnedByImage = (stored: Readonly<MachineConfig> | undefined): boolean =>
  stored?.metadata.ownerReferences?.some(({ kind }) => kind === images.kind) ?? false

/** The CRD may be installed late, or may have been removed before this process started. */
const releaseUnknown: Problem = {
  reason: reasons.badRelease,
  effect: 'held',
  message: `OpenShift owns it, and the API server does not serve ${clusterVersions.kind}, which names the release image that must not be blocked; install the ${clusterVersions.kind} CRD, or, if this cluster is not OpenShift, remove the ${images.kind} from the ownerReferences of the MachineConfig`,
}

const severity = { held: 0, leftOut: 1, reported: 2 } as const

function tryMakeNodeFiles(
  settings: ImageSettings,
  base: BaseFiles,
  stored: StoredFiles,
): NodeFiles {
  try {
    return makeNodeFiles(settings, base, stored)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const message = `the base files that the templates rendered are invalid: ${error.message}; correct the templates`
    return { files: [], problems: [{ reason: reasons.noBase, effect: 'held', message }] }
  }
}

/** The condition of the pool for a plan. */
export function poolCondition(
  machineConfig: string,
  { problems, spec }: PoolPlan,
): ConditionReport {
  const type = imageConfigDegraded
  const [worst] = problems
  if (!worst) return { type, status: 'False', reason: reasons.asExpected, message: '' }
  const all = problems.map(({ message }) => message).join('; ')
  const prefix = {
    held: `MachineConfig ${machineConfig} is ${spec ? 'kept unchanged' : 'not created'}: `,
    leftOut: 'skipped invalid settings, nodes keep their last valid value: ',
    reported: '',
  }
  const message = `${prefix[worst.effect]}${all}`.slice(0, maxMessageLength)
  return { type, status: 'True', reason: worst.reason, message }
}
