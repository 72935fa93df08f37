import type { ConditionReport } from '../../api/conditions.ts'
import { imageConfigDegraded, longestMessage } from '../../api/conditions.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { clusterVersions, images } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { filesSpec } from '../generated/files-spec.ts'
import type { Problem } from './problem.ts'
import type { BaseFiles, Settled, Understood } from './settle.ts'
import { settle } from './settle.ts'
import type { StoredFiles } from './stored-files.ts'
import { storedFiles } from './stored-files.ts'

/** What becomes of a pool. */
export interface PoolPlan {
  /** Undefined: there is nothing yet, and nothing is to be made. */
  readonly spec: MachineConfigSpec | undefined
  /** The worst first. */
  readonly problems: readonly Problem[]
}

/** Pure. `stored` is what the pool's nodes get now. */
export function decide(
  understood: Understood,
  base: BaseFiles,
  stored: Readonly<MachineConfig> | undefined,
): PoolPlan {
  const { files, problems: more } = settled(understood, base, storedFiles(stored))
  const unprotected = understood.isOpenShift || !isOfOpenShift(stored) ? [] : [versionUnknown]
  const problems = [...unprotected, ...understood.problems, ...more].toSorted(
    (a, b) => severity[a.effect] - severity[b.effect],
  )
  if (problems.some(({ effect }) => effect === 'held')) return { spec: stored?.spec, problems }
  const isMade = understood.isOpenShift || stored !== undefined || files.length > 0
  return { spec: isMade ? filesSpec(files) : undefined, problems }
}

/** On a plain Kubernetes it has no owner. */
const isOfOpenShift = (stored: Readonly<MachineConfig> | undefined): boolean =>
  stored?.metadata.ownerReferences?.some(({ kind }) => kind === images.kind) ?? false

/** The kind may be installed late, or have been lost before this process began. */
const versionUnknown: Problem = {
  reason: reasons.badRelease,
  effect: 'held',
  message: `it was made on an OpenShift, and the API server does not serve ${clusterVersions.kind}, which tells the release image that must not be blocked; install the kind, or, if this is no OpenShift, take the ${images.kind} out of the ownerReferences of the MachineConfig`,
}

const severity = { held: 0, leftOut: 1, told: 2 } as const

function settled(understood: Understood, base: BaseFiles, stored: StoredFiles): Settled {
  try {
    return settle(understood, base, stored)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const message = `the templates made what cannot be used: ${error.message}`
    return { files: [], problems: [{ reason: reasons.noBase, effect: 'held', message }] }
  }
}

/** What the pool says of it. */
export function reportOf(machineConfig: string, { problems, spec }: PoolPlan): ConditionReport {
  const type = imageConfigDegraded
  const [worst] = problems
  if (!worst) return { type, status: 'False', reason: reasons.asExpected, message: '' }
  const said = problems.map(({ message }) => message).join('; ')
  const begin = {
    held: `MachineConfig ${machineConfig} ${spec ? 'stays as it is' : 'is not made'}: `,
    leftOut: 'left out, while nodes keep what they have of it: ',
    told: '',
  }
  const message = `${begin[worst.effect]}${said}`.slice(0, longestMessage)
  return { type, status: 'True', reason: worst.reason, message }
}
