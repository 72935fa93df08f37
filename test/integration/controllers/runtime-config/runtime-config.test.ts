import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { runtimeConfigCases } from './cases.ts'

await onEmbeddedServer('ContainerRuntimeConfigs', runtimeConfigCases)
