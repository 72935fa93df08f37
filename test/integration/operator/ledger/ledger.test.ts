import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { ledgerCases } from './cases.ts'

await onEmbeddedServer('the ledger', ledgerCases)
