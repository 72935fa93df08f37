import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { imageConfigCases } from './cases.ts'

await onEmbeddedServer('image-config controller:', imageConfigCases)
