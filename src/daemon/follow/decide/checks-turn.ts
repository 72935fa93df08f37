import type { NodeSituation } from '../facts/situation.ts'
import { isWithoutTurn } from '../facts/without-turn.ts'
import type { CheckResult } from './decision.ts'

/** Without a turn, the node keeps the config on disk until its pool gives it one. */
export const turnChecks = {
  'update has a turn': ({ facts, currentName, currentImage, desiredName }) => {
    if (!isWithoutTurn(facts)) return undefined
    return {
      why: `the disk is in ${currentName}, and desiredConfig is ${desiredName} without a turn for an update: the API was restored to an older state, or the update was taken back. The node stays in ${currentName} until its pool gives it a turn`,
      next: {
        action: 'stay',
        config: currentName,
        ...(currentImage !== undefined && { image: currentImage }),
      },
    }
  },
} as const satisfies Readonly<Record<string, (situation: NodeSituation) => CheckResult | undefined>>
