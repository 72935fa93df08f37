import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { pinnedImagesCases } from './cases.ts'

await onEmbeddedServer('pinned images of pools', pinnedImagesCases)
