import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { provisioningTokenCases } from './cases.ts'

await onEmbeddedServer('provisioning tokens', provisioningTokenCases)
