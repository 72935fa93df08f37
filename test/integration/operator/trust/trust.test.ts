import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { trustCases } from './cases.ts'

await onEmbeddedServer('trust controller:', trustCases)
