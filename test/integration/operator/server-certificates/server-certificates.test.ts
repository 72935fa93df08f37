import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { serverCertificatesCases } from './cases.ts'

await onEmbeddedServer("the operator's certificates of the config server", serverCertificatesCases)
