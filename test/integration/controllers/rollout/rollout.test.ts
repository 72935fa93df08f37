import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { rolloutCases } from './cases.ts'

await onEmbeddedServer('the rollout controller', rolloutCases)
