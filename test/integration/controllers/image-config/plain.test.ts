import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { plainCases } from './plain-cases.ts'

await onEmbeddedServer('what a plain Kubernetes says about images,', plainCases)
