import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { credentialProvidersCases } from './cases.ts'

await onEmbeddedServer('credential providers', credentialProvidersCases)
