import { configureGlobal } from 'fast-check'

/**
 * The same examples in every run, so that a red one is about the change at hand. `PROPERTY_SEED=random` looks for new ones,
 * a number repeats what somebody found.
 */
const seed = process.env['PROPERTY_SEED'] ?? '20261115'
if (seed !== 'random') configureGlobal({ seed: Number(seed) })
