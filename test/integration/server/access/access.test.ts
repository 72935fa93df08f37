import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { accessCases } from './cases.ts'

await onEmbeddedServer('the access to configs', accessCases)
