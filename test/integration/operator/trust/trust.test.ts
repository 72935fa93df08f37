import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { trustCases } from './cases.ts'

await onEmbeddedServer('the trust loop', trustCases)
