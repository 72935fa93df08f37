import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { templateCases } from './cases.ts'

await onEmbeddedServer('the template controller', templateCases)
