import { configureGlobal } from 'fast-check'

/**
 * A fixed seed, so that a failure is caused by the change under test. `PROPERTY_SEED=random` generates new examples, a number
 * reproduces a run.
 */
const seed = process.env['PROPERTY_SEED'] ?? '20261115'
if (seed !== 'random') configureGlobal({ seed: Number(seed) })
