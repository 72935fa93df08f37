import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { plainCases } from './plain-cases.ts'

await onEmbeddedServer('image-config controller outside OpenShift:', plainCases)
