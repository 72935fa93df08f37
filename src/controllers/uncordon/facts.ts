import type { DrainFacts } from '../drain/facts.ts'

/** Everything that determines the next step of a node's uncordon; `readFailure`: why the settings could not be read. */
export type UncordonFacts = Pick<DrainFacts, 'node' | 'settings' | 'readFailure'>
