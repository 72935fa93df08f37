import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { machineConfigNodeCases } from './cases.ts'

await onEmbeddedServer('the MachineConfigNode controller', machineConfigNodeCases)
