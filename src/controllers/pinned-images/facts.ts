import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { PinnedSelection } from './select.ts'
import type { PinnedCounts } from './tally.ts'

/** Everything that determines the pinned images of one pool. */
export interface PinnedImagesFacts {
  readonly pool: Readonly<MachineConfigPool>
  readonly selection: PinnedSelection
  readonly counts: PinnedCounts
}
