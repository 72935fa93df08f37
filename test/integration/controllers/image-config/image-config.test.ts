import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { imageConfigCases } from './cases.ts'

await onEmbeddedServer('what a cluster says about images,', imageConfigCases)
