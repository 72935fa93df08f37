import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { kubeletConfigCases } from './cases.ts'

await onEmbeddedServer('KubeletConfigs', kubeletConfigCases)
