import type { Said } from './policies-machine.ts'
import type { Situation } from './situation.ts'
import { isWithoutTurn } from './without-turn.ts'

/** A node that no controller asked to change stays as it is, on the Node too, until its pool gives it a turn. */
export const turnPolicies = {
  'an update has its turn': ({ facts, currentName, currentImage, desiredName }) => {
    if (!isWithoutTurn(facts)) return undefined
    return {
      why: `the disk is in ${currentName}, and the Node says ${desiredName} without a turn for an update: the API was restored to an older state, or the update was taken back. The node stays in ${currentName} until its pool gives it a turn`,
      next: {
        do: 'stay',
        config: currentName,
        ...(currentImage !== undefined && { image: currentImage }),
      },
    }
  },
} as const satisfies Readonly<Record<string, (situation: Situation) => Said | undefined>>
