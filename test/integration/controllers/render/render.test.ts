import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { renderCases } from './cases.ts'

await onEmbeddedServer('the render controller', renderCases)
