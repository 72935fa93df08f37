import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { poolsCases } from './cases.ts'

await onEmbeddedServer("the operator's pools", poolsCases)
