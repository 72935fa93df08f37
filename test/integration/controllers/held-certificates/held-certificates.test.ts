import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { heldCertificatesCases } from './cases.ts'

await onEmbeddedServer('certificates that a pause holds,', heldCertificatesCases)
