import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { trustDeliveryCases } from './cases.ts'

await onEmbeddedServer('trust delivery', trustDeliveryCases)
