import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { otherMakerCases } from './cases.ts'

await onEmbeddedServer('a cluster that MCO runs', otherMakerCases)
