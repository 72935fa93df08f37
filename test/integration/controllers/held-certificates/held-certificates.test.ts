import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { heldCertificatesCases } from './cases.ts'

await onEmbeddedServer('the held certificates controller', heldCertificatesCases)
